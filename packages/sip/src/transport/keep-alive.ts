import type { Clock, Timer } from "../clock.ts";
import type { Hop } from "./transport.ts";
import type { TransportSet } from "./transport-set.ts";

/** RFC 5626 §4.4.2: NATs forget a UDP binding after 30 s; the registrations of one start are not in step anyhow. */
const INTERVAL_MS = 25_000;

const emptyLines = Buffer.from("\r\n\r\n");

/**
 * Keeps a NAT's binding towards a hop open by empty lines, until the function that it gives is called. Nothing is to
 * be done over streams, which keep themselves alive.
 */
export function keepAlive(transports: TransportSet, clock: Clock, hop: Hop): () => void {
  if (hop.protocol !== "UDP") return () => undefined;
  const schedule = (): Timer =>
    clock.schedule(INTERVAL_MS, () => {
      transports.send(emptyLines, hop, () => undefined);
      timer = schedule();
    });
  let timer = schedule();
  return () => timer.cancel();
}
