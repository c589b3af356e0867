import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { ProviderError, type LanguageModel } from "@parley/conversation";
import { createDeadlineFetch } from "../http/deadline-fetch.ts";

export interface OpenAiCompatibleOptions {
  /** Up to and without `/chat/completions`, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Left out for servers that ask for none. */
  apiKey?: string | undefined;
  model: string;
  /** Stands in errors and logs. */
  providerName?: string | undefined;
  connectTimeoutMs?: number;
  /** From the request to the first byte of the reply. */
  firstByteTimeoutMs?: number;
  betweenChunksTimeoutMs?: number;
}

/** A LanguageModel that owns connections. */
export interface OpenAiCompatibleModel extends LanguageModel {
  /** Aborts what is under way and closes the kept connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Any server that speaks OpenAI's chat completions over SSE.
 *
 * `doStream` rejects with the AI SDK's `APICallError` on a refused or failed request (`statusCode`, `isRetryable`), and
 * with a `timeout` ProviderError when a deadline passes. A reply that breaks off errors its stream with a `connection`
 * or `timeout` ProviderError; one that ends without a finish reason carries an `error` part.
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
    doStream: async (call: LanguageModelV4CallOptions) => {
      const result = await doStream(call);
      return { ...result, stream: unwrapErrors(result.stream, call.abortSignal) };
    },
    close: async () => await http.close(),
  });
}

/**
 * The AI SDK hides why a body failed inside an `APICallError` with the status 200 of the response that it belongs to;
 * this brings out the ProviderError, or the reason of the caller's abort.
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
