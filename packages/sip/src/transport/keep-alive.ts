import type { Clock, Timer } from "../clock.ts";
import type { Hop } from "./transport.ts";
import type { TransportSet } from "./transport-set.ts";

/** RFC 5626 §4.4.2: NATs forget a UDP binding after 30 s; the registrations of one start are not in step anyhow. */
const INTERVAL_MS = 25_000;

const emptyLines = Buffer.from("\r\n\r\n");

/**
 * Keeps the way from a hop to us open until the function that it gives is called: a NAT's binding by empty lines. Streams
 * keep themselves alive.
 *
 * @param onLost is told, once, that the peer can reach us no more because its connection is gone.
 */
export function keepAlive(transports: TransportSet, clock: Clock, hop: Hop, onLost: () => void): () => void {
  if (hop.protocol !== "UDP") return transports.watch(hop, onLost);
  const schedule = (): Timer =>
    clock.schedule(INTERVAL_MS, () => {
      transports.send(emptyLines, hop, () => undefined);
      timer = schedule();
    });
  let timer = schedule();
  return () => timer.cancel();
}
