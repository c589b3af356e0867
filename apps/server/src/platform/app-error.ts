import { type ErrorBody, type ErrorCode, type Issue, errorCodes } from "@parley/contract";

/** A body of bad values could otherwise get an answer many times its size. */
export const MAX_ISSUES = 100;

interface AppErrorOptions {
  /** Shown to the client; defaults to the code's own message. */
  message?: string;
  /** The first 100 are kept. */
  issues?: readonly Issue[];
  /** Seconds after which the same request may succeed, for the header Retry-After. Default: that of the code, if any. */
  retryAfterSeconds?: number;
  /** For the log only. */
  cause?: unknown;
}

/** Rejection or failure with a code of the contract; its message may be shown to the client. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, { message, issues = [], retryAfterSeconds, cause }: AppErrorOptions = {}) {
    super(message ?? errorCodes[code].message, { cause });
    this.code = code;
    this.issues = issues.slice(0, MAX_ISSUES);
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }

  toBody(): ErrorBody {
    const details = this.issues.length === 0 ? {} : { details: { issues: [...this.issues] } };
    return { error: this.code, message: this.message, ...details };
  }
}

/** Error of a well-formed body with an invalid value at `path`. */
export function invalidBody(path: string, message: string): AppError {
  return new AppError("invalid_body", { issues: [{ path, message }] });
}

/** Error of an invalid query parameter. */
export function invalidQuery(path: string, message: string): AppError {
  return new AppError("invalid_query", { issues: [{ path, message }] });
}
