import type { ErrorCode } from "@parley/contract";
import { DrizzleQueryError } from "drizzle-orm";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../app-error.ts";
import { isDatabaseAway } from "../database/database-away.ts";
import { DatabaseUnavailableError } from "../database/database.ts";

const retryAfterSeconds: Readonly<Partial<Record<ErrorCode, number>>> = {
  // Capacity becomes free as calls end.
  capacity_exceeded: 5,
  // About the time that a server takes to restart.
  database_unavailable: 5,
  // For limits on work in progress. The others know their time.
  rate_limited: 5,
};

const API_KEY_CHALLENGE = 'ApiKey realm="Parley", header="x-api-key"';

/** The only place that converts errors to HTTP answers. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = toAppError(error);
  if (refusal.code === "internal") request.log.error({ err: error }, "request failed");
  // The node logs once that its database is unavailable; a line for every request would repeat it.
  if (refusal.code === "database_unavailable")
    request.log.debug({ err: error }, "the database is not available");
  // Errors of the framework skip the hooks that add these.
  reply.header("x-request-id", request.id);
  reply.header("cache-control", "no-store");
  // RFC 9110 §15.5.2. WHIP sets its own challenge.
  if (refusal.status === 401 && !reply.hasHeader("www-authenticate"))
    reply.header("www-authenticate", API_KEY_CHALLENGE);
  // RFC 9110 §15.5.16: codings that a body may have.
  if (refusal.status === 415) reply.header("accept-encoding", "identity");
  const retryAfter = refusal.retryAfterSeconds ?? retryAfterSeconds[refusal.code];
  if (retryAfter !== undefined && !reply.hasHeader("retry-after"))
    reply.header("retry-after", String(retryAfter));
  reply.code(refusal.status).type("application/json; charset=utf-8").send(JSON.stringify(refusal.toBody()));
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): void {
  sendError(new AppError("not_found"), request, reply);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isOfDatabase(error) && isDatabaseAway(error))
    return new AppError("database_unavailable", { cause: error });
  if (!isFastifyError(error)) return new AppError("internal", { cause: error });
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("payload_too_large", { cause: error });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("unsupported_media_type", { cause: error });
    case "FST_ERR_BAD_URL":
    case "FST_ERR_ASYNC_CONSTRAINT":
      return new AppError("not_found", { cause: error });
    default:
      // Remaining errors below 500 come from reading the body: malformed JSON, a truncated body, a wrong content
      // length.
      return error.statusCode !== undefined && error.statusCode < 500
        ? new AppError("invalid_body", {
            issues: [{ path: "", message: "must be valid JSON" }],
            cause: error,
          })
        : new AppError("internal", { cause: error });
  }
}

/** Distinguishes the database from other servers that refuse a connection. */
function isOfDatabase(error: unknown): boolean {
  return error instanceof DrizzleQueryError || error instanceof DatabaseUnavailableError;
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
