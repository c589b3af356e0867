export type ProviderErrorKind = "connection" | "timeout" | "status";

export interface ProviderErrorOptions {
  /** The provider as an operator knows it, e.g. `deepgram` or `local/kokoro`. */
  provider: string;
  kind: ProviderErrorKind;
  message: string;
  /** HTTP or WebSocket status where `kind` is `status`. */
  status?: number;
  /** Whether the same request may succeed when sent again; decided by the adapter, which knows its vendor. */
  isRetryable: boolean;
  /** How long the provider asked to be left alone. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * How long a `Retry-After` header asks to be left alone (RFC 9110 section 10.2.3), in its form of seconds; a date is further
 * off than a turn can wait, so it counts as for ever.
 */
export function readRetryAfterMs(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null) return undefined;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : Infinity;
}

/** What a speech or language provider failed with, the same shape for every vendor. */
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
