import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { ProviderError, type LanguageModel } from "@parley/conversation";
import { createDeadlineFetch } from "./deadline-fetch.ts";

/** A `LanguageModel` that owns connections. */
export interface OwnedModel extends LanguageModel {
  /** Aborts requests under way and closes the pooled connections. Idempotent. */
  close(): Promise<void>;
}

export interface RemoteModelOptions {
  model: string;
  /** Default: `true`. */
  takesTemperature?: boolean;
  /** Tokens of prompt and reply together. Default: 128,000. */
  contextTokens?: number | undefined;
  connectTimeoutMs?: number;
  /** From the request to the first byte of the reply. */
  firstByteTimeoutMs?: number;
  betweenChunksTimeoutMs?: number;
}

/**
 * Connects a model of the AI SDK by pooled connections with a deadline on every wait.
 *
 * `doStream` rejects with the AI SDK's `APICallError` on a refused or failed request (`statusCode`, `isRetryable`), and
 * with a `timeout` ProviderError when a deadline passes. A reply that breaks off errors its stream with a `connection`
 * or `timeout` ProviderError; one that ends without a finish reason contains an `error` part.
 */
export function connectModel(
  provider: string,
  options: RemoteModelOptions,
  create: (fetch: typeof globalThis.fetch) => LanguageModelV4,
): OwnedModel {
  const http = createDeadlineFetch({
    provider: `${provider}/${options.model}`,
    connectTimeoutMs: options.connectTimeoutMs ?? 3_000,
    firstByteTimeoutMs: options.firstByteTimeoutMs ?? 15_000,
    betweenChunksTimeoutMs: options.betweenChunksTimeoutMs ?? 10_000,
  });
  const model = create(http.fetch);
  const doStream = model.doStream.bind(model);
  return Object.assign(model, {
    contextTokens: options.contextTokens,
    doStream: async (call: LanguageModelV4CallOptions) => {
      const { temperature, ...others } = call;
      const isSent = temperature !== undefined && options.takesTemperature !== false;
      const result = await doStream(isSent ? call : others);
      return { ...result, stream: unwrapErrors(result.stream, call.abortSignal) };
    },
    close: async () => await http.close(),
  });
}

/**
 * Restores the reason of a failed body, a ProviderError or the caller's abort reason, which the AI SDK wraps in an
 * `APICallError` with the response's status 200.
 */
function unwrapErrors<T>(stream: ReadableStream<T>, abortSignal: AbortSignal | undefined): ReadableStream<T> {
  const reader = stream.getReader();
  return new ReadableStream<T>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (abortSignal?.aborted === true) throw abortSignal.reason;
          throw APICallError.isInstance(error) && error.cause instanceof ProviderError ? error.cause : error;
        }
      },
      cancel: async (reason) => await reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
