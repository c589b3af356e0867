import type { Clock } from "../clock.ts";
import { StreamTransport } from "./stream-transport.ts";
import type { TlsOptions } from "./tls-identity.ts";
import type { SocketAddress, Transport } from "./transport.ts";
import { UdpTransport } from "./udp-transport.ts";

export interface ListenOptions {
  /** Where UDP and TCP are listened on, the same port for both; one address for each family. Port 0 takes a free one. */
  bind: SocketAddress | readonly SocketAddress[];
  /** TLS is listened on at the same addresses. */
  tls?: TlsOptions & { port: number };
  clock: Clock;
}

/** How often another free port is tried when it is free for UDP only. */
const FREE_PORT_ATTEMPTS = 10;

/** Opens every transport; rejects where one cannot be had, and leaves none behind. */
export async function listenAll({ bind, tls, clock }: ListenOptions): Promise<Transport[]> {
  const transports: Transport[] = [];
  try {
    for (const each of Array.isArray(bind) ? bind : [bind]) {
      transports.push(...(await listenUdpAndTcp(each, clock)));
      if (tls === undefined) continue;
      const { port, ...options } = tls;
      transports.push(await StreamTransport.listen({ bind: { ...each, port }, clock, tls: options }));
    }
    return transports;
  } catch (error) {
    await Promise.all(transports.map((transport) => transport.close()));
    throw error;
  }
}

async function listenUdpAndTcp(bind: SocketAddress, clock: Clock): Promise<Transport[]> {
  for (let attempt = 1; ; attempt++) {
    const udp = await UdpTransport.listen(bind);
    try {
      return [udp, await StreamTransport.listen({ bind: { ...bind, port: udp.localAddress.port }, clock })];
    } catch (error) {
      await udp.close();
      if (bind.port !== 0 || attempt >= FREE_PORT_ATTEMPTS) throw error;
    }
  }
}
