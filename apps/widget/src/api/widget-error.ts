export type WidgetErrorCode =
  | "offline"
  | "not_available"
  | "page_not_allowed"
  | "limit_reached"
  | "message_limit_reached"
  | "busy"
  | "call_lost"
  | "outdated"
  | "refused";

interface WidgetErrorOptions extends ErrorOptions {
  status?: number;
  retryAfterSeconds?: number | undefined;
}

/** A failure that the visitor is shown, in words of the widget's language. */
export class WidgetError extends Error {
  override readonly name = "WidgetError";
  readonly code: WidgetErrorCode;
  /** Status of the server's answer. `undefined`: none. */
  readonly status: number | undefined;
  /** `undefined` if the server did not say when to try again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: WidgetErrorCode, options: WidgetErrorOptions = {}) {
    super(code, options);
    this.code = code;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The error for an answer of the server to a request at this path. */
export function explainAnswer(
  path: string,
  status: number,
  retryAfter: string | null,
  detail: string,
): WidgetError {
  const code = codeOf(path, status);
  return new WidgetError(code, { status, cause: detail, retryAfterSeconds: readRetryAfter(retryAfter) });
}

function codeOf(path: string, status: number): WidgetErrorCode {
  switch (status) {
    case 402:
    case 404:
      return "not_available";
    case 403:
      return "page_not_allowed";
    case 429:
      return path === "/chat/messages" ? "message_limit_reached" : "limit_reached";
    default:
      return status >= 500 ? "busy" : "refused";
  }
}

function readRetryAfter(header: string | null): number | undefined {
  const seconds = Number(header ?? "");
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
