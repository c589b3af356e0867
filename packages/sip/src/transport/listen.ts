import type { Clock } from "../clock.ts";
import { StreamTransport } from "./stream-transport.ts";
import type { TlsClientOptions, TlsOptions } from "./tls-identity.ts";
import type { SocketAddress, Transport } from "./transport.ts";
import { UdpTransport } from "./udp-transport.ts";

export interface ListenOptions {
  /** UDP and TCP listen here on the same port; one address per family. Port 0 chooses a free port. */
  bind: SocketAddress | readonly SocketAddress[];
  /**
   * With a port, TLS listens on the same addresses. Without one (the default), TLS only connects to servers,
   * which send their requests over our connections.
   */
  tls?: (TlsOptions & { port: number }) | TlsClientOptions;
  clock: Clock;
}

/** Retries if a free UDP port is not free for TCP. */
const FREE_PORT_ATTEMPTS = 10;

/** Opens every transport; rejects if one fails, and closes those already open. */
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
