import { APICallError } from "@ai-sdk/provider";
import { ProviderError, readRetryAfterMs } from "../providers/provider-error.ts";

/** The one place where what a language model throws becomes a `ProviderError`. */
export function toProviderError(error: unknown, provider: string): ProviderError {
  if (error instanceof ProviderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (APICallError.isInstance(error)) {
    const { statusCode, isRetryable } = error;
    return statusCode === undefined
      ? new ProviderError({ provider, kind: "connection", message, isRetryable, cause: error })
      : new ProviderError({
          provider,
          kind: "status",
          status: statusCode,
          message,
          isRetryable,
          retryAfterMs: readRetryAfterMs(error.responseHeaders?.["retry-after"]),
          cause: error,
        });
  }
  return new ProviderError({ provider, kind: "connection", message, isRetryable: false, cause: error });
}
