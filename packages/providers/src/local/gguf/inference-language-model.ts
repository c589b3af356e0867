import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { LanguageModel } from "@parley/conversation";
import type { InferenceClient } from "../inference/methods.ts";

export interface InferenceLanguageModelOptions {
  /** Name in logs and call records, e.g. the file name. */
  modelId: string;
  /** Time without output after which a reply has failed; evaluating a long prompt on a CPU takes seconds. */
  deadlineMs?: number;
}

/** The GGUF model of the inference process as a language model. Failures end the stream with a ProviderError. */
export function createInferenceLanguageModel(
  client: InferenceClient,
  { modelId, deadlineMs = 30_000 }: InferenceLanguageModelOptions,
): LanguageModel {
  const stream = (options: LanguageModelV4CallOptions): ReadableStream<LanguageModelV4StreamPart> =>
    streamReply(client, options, deadlineMs);
  return {
    specificationVersion: "v4",
    provider: "local",
    modelId,
    supportedUrls: {},
    doStream: async (options) => ({ stream: stream(options) }),
    doGenerate: async (options) => await collectReply(stream(options)),
  };
}

function streamReply(
  client: InferenceClient,
  { abortSignal, ...options }: LanguageModelV4CallOptions,
  deadlineMs: number,
): ReadableStream<LanguageModelV4StreamPart> {
  const canceled = new AbortController();
  const signal =
    abortSignal === undefined ? canceled.signal : AbortSignal.any([abortSignal, canceled.signal]);
  return new ReadableStream<LanguageModelV4StreamPart>({
    start: (controller) => {
      client
        .request("generate", { options }, { signal, deadlineMs, onChunk: (part) => controller.enqueue(part) })
        .then(
          () => controller.close(),
          (error: unknown) => controller.error(error),
        )
        // A canceled stream accepts neither its end nor an error.
        .catch(() => {});
    },
    cancel: () => canceled.abort(),
  });
}

async function collectReply(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  let text = "";
  const calls: LanguageModelV4Content[] = [];
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "tool-call") calls.push(part);
    if (part.type !== "finish") continue;
    const content: LanguageModelV4Content[] = text === "" ? calls : [{ type: "text", text }, ...calls];
    return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
  }
  throw new Error("the reply has no end");
}
