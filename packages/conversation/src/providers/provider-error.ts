export type ProviderErrorKind = "connection" | "timeout" | "status";

export interface ProviderErrorOptions {
  /** Provider name shown to operators, e.g. `deepgram` or `local/kokoro`. */
  provider: string;
  kind: ProviderErrorKind;
  message: string;
  /** HTTP or WebSocket status if `kind` is `status`. */
  status?: number;
  /** Whether the same request may succeed if sent again; decided by the vendor's adapter. */
  isRetryable: boolean;
  /** Delay that the provider requested before the next attempt. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * Reads the delay of a `Retry-After` header in seconds (RFC 9110 §10.2.3). A date returns `Infinity`, because it is
 * further away than a turn can wait.
 */
export function readRetryAfterMs(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null) return undefined;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : Infinity;
}

/** Error of a speech or language provider, in the same form for every vendor. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly provider: string;
  readonly kind: ProviderErrorKind;
  readonly status: number | undefined;
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(options: ProviderErrorOptions) {
    super(`${options.provider}: ${options.message}`, { cause: options.cause });
    this.provider = options.provider;
    this.kind = options.kind;
    this.status = options.status;
    this.isRetryable = options.isRetryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}
