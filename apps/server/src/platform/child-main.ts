import { catchStrayExceptions } from "./stray-exceptions.ts";
import { ALIVE_INTERVAL_MS, type ChildStatus } from "./supervised-child.ts";

/** Time for a child that lost its parent to end its work. */
const ORPHAN_GRACE_MS = 4_000;

export interface ChildMain<FromChild extends object> {
  send: (message: FromChild | ChildStatus) => void;
}

/**
 * Child's side of a `SupervisedChild`: sends the parent signs of life, and ends the process within 5 s when the parent
 * ends or disconnects, regardless of `close`. Once the child is ready, exceptions do not end it: those that belong to
 * no call are reported to the parent.
 */
export function runChild<ToChild extends object, FromChild extends object>(handlers: {
  onMessage: (message: ToChild) => void;
  close: () => Promise<void>;
}): ChildMain<FromChild> {
  const send = (message: FromChild | ChildStatus): void => {
    if ("type" in message && message.type === "ready") catchStrayExceptions(report);
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  const report = (error: unknown): void =>
    send({ type: "fault", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  const alive = setInterval(() => send({ type: "alive" }), ALIVE_INTERVAL_MS);
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    clearInterval(alive);
    setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
    handlers.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("message", (message) => handlers.onMessage(message as ToChild));
  process.on("disconnect", end);
  // Ctrl-C reaches the whole process group: the parent decides when its children end.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => {});
  return { send };
}
