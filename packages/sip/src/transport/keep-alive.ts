import type { Clock, Timer } from "../clock.ts";
import type { Hop } from "./transport.ts";
import type { TransportSet } from "./transport-set.ts";

/**
 * RFC 5626 §4.4.2: NATs drop a UDP binding after 30 s. No jitter, because registrations already start at
 * different times.
 */
const KEEP_ALIVE_INTERVAL_MS = 25_000;

const emptyLines = Buffer.from("\r\n\r\n");

/**
 * Keeps the path from a hop to us open until the returned function is called: sends empty lines that refresh a
 * NAT's binding. Streams have their own keep-alive.
 *
 * @param onLost called once if the peer can no longer reach us because its connection is gone.
 */
export function keepAlive(transports: TransportSet, clock: Clock, hop: Hop, onLost: () => void): () => void {
  if (hop.protocol !== "UDP") return transports.watch(hop, onLost);
  const schedule = (): Timer =>
    clock.schedule(KEEP_ALIVE_INTERVAL_MS, () => {
      transports.send(emptyLines, hop, () => undefined);
      timer = schedule();
    });
  let timer = schedule();
  return () => timer.cancel();
}
