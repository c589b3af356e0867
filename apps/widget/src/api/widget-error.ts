export type WidgetErrorCode =
  | "offline"
  | "not_available"
  | "page_not_allowed"
  | "limit_reached"
  | "busy"
  | "microphone"
  | "call_failed"
  | "outdated"
  | "refused";

/** A failure that the visitor is shown. The message says what to do. */
export class WidgetError extends Error {
  override readonly name = "WidgetError";
  readonly code: WidgetErrorCode;
  /** Status of the server's answer. `undefined`: none. */
  readonly status: number | undefined;

  constructor(code: WidgetErrorCode, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.code = code;
    this.status = options.status;
  }
}

/** The error for an answer of the server. */
export function explainAnswer(status: number, retryAfter: string | null, detail: string): WidgetError {
  const options = { status, cause: detail };
  switch (status) {
    case 402:
    case 404:
      return new WidgetError("not_available", "The assistant is not available at present.", options);
    case 403:
      return new WidgetError("page_not_allowed", "The assistant is not available on this page.", options);
    case 429:
      return new WidgetError("limit_reached", `Too many requests. ${describeWait(retryAfter)}`, options);
    case 503:
      return new WidgetError("busy", "The assistant is busy. Try again in a moment.", options);
    default:
      return status >= 500
        ? new WidgetError("busy", "Something went wrong on the server. Try again in a moment.", options)
        : new WidgetError("refused", "That did not work. Reload the page and try again.", options);
  }
}

/** When to try again, from the `Retry-After` header in seconds. */
export function describeWait(retryAfter: string | null): string {
  const seconds = Number(retryAfter ?? "");
  if (!Number.isFinite(seconds) || seconds <= 0) return "Try again later.";
  if (seconds <= 90) return `Try again in ${Math.ceil(seconds)} seconds.`;
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90
    ? `Try again in ${minutes} minutes.`
    : `Try again in ${Math.ceil(minutes / 60)} hours.`;
}
