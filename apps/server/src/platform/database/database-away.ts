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
/** SQLSTATE classes: connection failed (08), insufficient resources (53), operator intervention (57P). */
const awayStates = /^(?:08|53|57P)/;
/** Messages of `pg` that have no code. */
const awayMessages = /connection terminated|connection error|timeout exceeded|read timeout/i;

/** Whether a query's error means that the database was unavailable, so that a later attempt may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (networkCodes.has(code) || awayStates.test(code) || awayMessages.test(error.message)) return true;
  return isDatabaseAway(error.cause);
}
