import { CallScope } from "./call-scope.ts";

/**
 * The last resort for what is thrown in a timer, a socket's handler or a promise that nobody awaits: an exception that is a
 * call's ends that call, any other is given to `report`. The process goes on either way.
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
