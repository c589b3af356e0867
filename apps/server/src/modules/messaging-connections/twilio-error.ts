export type TwilioErrorKind =
  /** Twilio rejects the request; `code` names the reason. */
  | "refused"
  /** The request was not sent. */
  | "unreachable"
  /** Twilio rejects the request for now. */
  | "rate_limited"
  /** The request may have had its effect: no answer, or one of a failing server. */
  | "uncertain";

/** A request to Twilio failed. */
export class TwilioError extends Error {
  override readonly name = "TwilioError";
  readonly kind: TwilioErrorKind;
  /** Twilio's error code, such as 21610. `undefined`: Twilio named none. */
  readonly code: number | undefined;
  /** HTTP status; `undefined` without an answer. */
  readonly status: number | undefined;

  constructor(
    kind: TwilioErrorKind,
    message: string,
    { code, status, ...options }: ErrorOptions & { code?: number | undefined; status?: number } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.code = code;
    this.status = status;
  }
}

/** Converts an error of the `twilio` library. Errors of other origin are returned unchanged. */
export function toTwilioError(error: unknown): unknown {
  // An answer of 2xx that is not JSON.
  if (error instanceof SyntaxError)
    return new TwilioError("uncertain", "the answer is not JSON", { cause: error });
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return error;
  const { status } = error;
  const code = "code" in error && typeof error.code === "number" ? error.code : undefined;
  const message = error.message === "" ? `HTTP status ${status}` : error.message;
  return new TwilioError(kindOf(status), message, { cause: error, status, code });
}

function kindOf(status: number): TwilioErrorKind {
  if (status === 429) return "rate_limited";
  return status >= 500 ? "uncertain" : "refused";
}
