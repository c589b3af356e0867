import { APICallError } from "@ai-sdk/provider";
import { errorMessage } from "../error-message.ts";
import { ProviderError, readRetryAfterMs } from "../providers/provider-error.ts";

/** Turns any error of a language model into a `ProviderError`; the only place that does. */
export function toProviderError(error: unknown, provider: string): ProviderError {
  if (error instanceof ProviderError) return error;
  const message = errorMessage(error);
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
