import type { ErrorBody } from "./generated/types.ts";

/** Every code that the API refuses with. */
export type ErrorCode = ErrorBody["error"];

/** One thing wrong with a body or query. */
export type Issue = NonNullable<ErrorBody["details"]>["issues"][number];

/** An answer of the API that is not a success. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** What to decide by. `unexpected_answer`: what answered is not the API (a proxy, perhaps). */
  readonly code: ErrorCode | "unexpected_answer";
  /** The HTTP status. */
  readonly status: number;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** What is wrong with a body or query, where that is the reason. */
  readonly issues: readonly Issue[];
  /** How long the server asks to wait before the next attempt. */
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

/** No answer came: the server was not reached, or not in time. Whether the request had an effect is not known. */
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

/** Reads an answer that is not a success. */
export function readApiError({ status, headers, text, retryAfterMs }: ErrorAnswer): ApiError {
  const body = readErrorBody(text);
  const message = body?.message ?? `The server answered ${status}, and not as the API does.`;
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
    // Codes that a newer server has are kept as they are.
    return isError && typeof body.error === "string" ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}
