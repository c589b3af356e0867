import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { ProviderError, type LanguageModel } from "@parley/conversation";
import { createDeadlineFetch } from "../http/deadline-fetch.ts";

export interface OpenAiCompatibleOptions {
  /** URL without `/chat/completions`, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Omitted for servers without authentication. */
  apiKey?: string | undefined;
  model: string;
  /** Tokens of prompt and reply together. Default: 128,000. */
  contextTokens?: number | undefined;
  /** Name in errors and logs. */
  providerName?: string | undefined;
  connectTimeoutMs?: number;
  /** From the request to the first byte of the reply. */
  firstByteTimeoutMs?: number;
  betweenChunksTimeoutMs?: number;
}

/** A `LanguageModel` that owns connections. */
export interface OpenAiCompatibleModel extends LanguageModel {
  /** Aborts requests under way and closes the pooled connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Language model on any server with OpenAI's chat completions over SSE.
 *
 * `doStream` rejects with the AI SDK's `APICallError` on a refused or failed request (`statusCode`, `isRetryable`), and
 * with a `timeout` ProviderError when a deadline passes. A reply that breaks off errors its stream with a `connection`
 * or `timeout` ProviderError; one that ends without a finish reason contains an `error` part.
 */
export function createOpenAiCompatibleModel(options: OpenAiCompatibleOptions): OpenAiCompatibleModel {
  const providerName = options.providerName ?? "openai-compatible";
  const http = createDeadlineFetch({
    provider: `${providerName}/${options.model}`,
    connectTimeoutMs: options.connectTimeoutMs ?? 3_000,
    firstByteTimeoutMs: options.firstByteTimeoutMs ?? 15_000,
    betweenChunksTimeoutMs: options.betweenChunksTimeoutMs ?? 10_000,
  });
  const provider = createOpenAICompatible({
    name: providerName,
    baseURL: options.baseUrl,
    fetch: http.fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
  });
  const model = provider.chatModel(options.model);
  const doStream = model.doStream.bind(model);
  return Object.assign(model, {
    contextTokens: options.contextTokens,
    doStream: async (call: LanguageModelV4CallOptions) => {
      const result = await doStream(call);
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
