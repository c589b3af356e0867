import { ProviderError, readRetryAfterMs } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import { readStart } from "./read-start.ts";

/** Further bytes are not read: proxies answer with pages. */
const MAX_REFUSAL_BYTES = 1024 * 1024;

/** Error for a refusal by status. 429 is not retryable: a rate limit lasts longer than a turn can wait. */
export async function statusError(provider: string, response: Response): Promise<ProviderError> {
  const { status } = response;
  const body = await readStart(response, MAX_REFUSAL_BYTES).catch(() => undefined);
  const detail = (body?.text ?? "").slice(0, 200).replaceAll(/\s+/g, " ");
  return new ProviderError({
    provider,
    kind: "status",
    status,
    message: `refused the request with status ${status}${detail === "" ? "" : `: ${detail}`}`,
    isRetryable: status === 408 || status >= 500,
    retryAfterMs: readRetryAfterMs(response.headers.get("retry-after")),
  });
}

/** Error for anything that `fetch` or the reading of its body threw. */
export function fetchError(provider: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = errorMessage(cause);
  return new ProviderError({ provider, kind: "connection", message, isRetryable: true, cause: error });
}
