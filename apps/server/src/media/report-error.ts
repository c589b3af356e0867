/** Media processes have no logger: the main process reads their stderr. */
export function reportError(subject: string, error: unknown): void {
  const err = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${JSON.stringify({ level: 50, msg: `error in ${subject}`, err })}\n`);
}

/** Returns the result of `work`, or `undefined` if it throws; the exception is reported. */
export function attempt<T>(subject: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    reportError(subject, error);
    return undefined;
  }
}
