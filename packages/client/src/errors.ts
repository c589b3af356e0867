import type { ErrorBody } from "./generated/types.ts";

/** Every error code of the API. */
export type ErrorCode = ErrorBody["error"];

/** One problem in a body or query. */
export type Issue = NonNullable<ErrorBody["details"]>["issues"][number];

/** A response of the API other than success. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /**
   * Machine-readable error code. `unexpected_answer`: the response is not from the API, but for example from a
   * proxy.
   */
  readonly code: ErrorCode | "unexpected_answer";
  /** The HTTP status. */
  readonly status: number;
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** Problems in the body or query; empty for other errors. */
  readonly issues: readonly Issue[];
  /** The delay before the next attempt that the server requests. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    details: Pick<ApiError, "code" | "status" | "requestId" | "issues" | "retryAfterMs">,
  ) {
    super(message);
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.issues = details.issues;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** No response: the server was not reached, or not in time. It is unknown if the request had an effect. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly reason: "timeout" | "network";

  constructor(reason: ConnectionError["reason"], options?: ErrorOptions) {
    super(
      reason === "timeout" ? "The server did not answer in time." : "The server could not be reached.",
      options,
    );
    this.reason = reason;
  }
}

interface ErrorAnswer {
  status: number;
  headers: Headers;
  text: string;
  retryAfterMs: number | undefined;
}

/** Reads a response other than success. */
export function readApiError({ status, headers, text, retryAfterMs }: ErrorAnswer): ApiError {
  const body = readErrorBody(text);
  const message =
    body?.message ??
    `The server answered with status ${status}, but not in the format of the API. Check the base URL.`;
  const issues = body?.details?.issues ?? [];
  return new ApiError(issues.length === 0 ? message : `${message} ${explain(issues)}`, {
    code: body?.error ?? "unexpected_answer",
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    issues,
    retryAfterMs,
  });
}

function explain(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
}

function readErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isError = typeof body === "object" && body !== null && "error" in body && "message" in body;
    // Codes of newer servers are kept unchanged.
    return isError && typeof body.error === "string" ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}
