import { CallScope } from "./call-scope.ts";

/**
 * Last resort for exceptions in a timer, a socket's handler or an unawaited promise: an exception of a call ends that
 * call, any other is passed to `report`. The process continues in both cases.
 *
 * @returns A function that restores Node's own behavior, which is to end the process.
 */
export function catchStrayExceptions(report: (error: unknown) => void): () => void {
  const take = (error: unknown): void => {
    if (CallScope.current?.fail(error) !== true) report(error);
  };
  process.on("uncaughtException", take);
  process.on("unhandledRejection", take);
  return () => {
    process.off("uncaughtException", take);
    process.off("unhandledRejection", take);
  };
}
