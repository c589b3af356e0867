const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** SQLSTATE: the connection failed (08), resources are short (53), the server starts or ends (57P). */
const awayStates = /^(?:08|53|57P)/;
/** What `pg` says without a code. */
const awayMessages = /connection terminated|connection error|timeout exceeded|read timeout/i;

/** Whether the database could not be asked, by what a query rejected with: asked again later it may answer. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (networkCodes.has(code) || awayStates.test(code) || awayMessages.test(error.message)) return true;
  return isDatabaseAway(error.cause);
}
