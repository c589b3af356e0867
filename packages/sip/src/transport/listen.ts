import type { Clock } from "../clock.ts";
import { StreamTransport } from "./stream-transport.ts";
import type { TlsClientOptions, TlsOptions } from "./tls-identity.ts";
import type { SocketAddress, Transport } from "./transport.ts";
import { UdpTransport } from "./udp-transport.ts";

export interface ListenOptions {
  /** Where UDP and TCP are listened on, the same port for both; one address for each family. Port 0 takes a free one. */
  bind: SocketAddress | readonly SocketAddress[];
  /**
   * With a port TLS is listened on at the same addresses. Without one, and by default, servers are connected to by TLS,
   * and call us by the connections that we have opened.
   */
  tls?: (TlsOptions & { port: number }) | TlsClientOptions;
  clock: Clock;
}

/** How often another free port is tried when it is free for UDP only. */
const FREE_PORT_ATTEMPTS = 10;

/** Opens every transport; rejects where one cannot be had, and leaves none behind. */
export async function listenAll({ bind, tls = {}, clock }: ListenOptions): Promise<Transport[]> {
  const transports: Transport[] = [];
  try {
    for (const each of Array.isArray(bind) ? bind : [bind]) {
      transports.push(...(await listenUdpAndTcp(each, clock)));
      transports.push(await openTls(each, tls, clock));
    }
    return transports;
  } catch (error) {
    await Promise.all(transports.map((transport) => transport.close()));
    throw error;
  }
}

async function openTls(
  bind: SocketAddress,
  tls: NonNullable<ListenOptions["tls"]>,
  clock: Clock,
): Promise<Transport> {
  if (!("port" in tls)) return StreamTransport.withoutListener({ address: bind.address, clock, tls });
  const { port, ...options } = tls;
  return await StreamTransport.listen({ bind: { ...bind, port }, clock, tls: options });
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
