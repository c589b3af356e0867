import path from "node:path";
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type * as LlamaCpp from "node-llama-cpp";
import { ProviderError, trimToWindow } from "@parley/conversation";
import type {
  GbnfJsonSchema,
  Llama,
  LlamaChat,
  LlamaContext,
  LlamaGrammar,
  LlamaModel,
} from "node-llama-cpp";
import { JobQueue } from "../inference/job-queue.ts";
import type { InferenceHandlers } from "../inference/methods.ts";
import { toChatHistory } from "./chat-history.ts";
import { toFunctions, toGrammarSchema } from "./tool-functions.ts";

export interface LoadGgufOptions {
  /** Path of the model file. */
  path: string;
  /** Default: llama.cpp's choice for this machine. */
  threads?: number;
  /** Tokens of prompt and reply together, at most those of the model; default 4,096. Longer conversations lose their beginning. */
  contextTokens?: number | undefined;
}

/** A GGUF model in this process, on the CPU. */
export interface Gguf {
  /** `local/<file name>`. */
  readonly name: string;
  /**
   * Streams a reply with the model's own chat template. Tool calls and JSON are written through a grammar. Background
   * work (`providerOptions.local.isBackground`) yields to calls, failing with a retryable `ProviderError`.
   */
  readonly generate: NonNullable<InferenceHandlers["generate"]>;
  /** Aborts a reply under way. Idempotent. */
  close(): Promise<void>;
}

/** Conversations whose evaluated prompts are kept, so that the next turn evaluates only its new part. */
const MAX_SEQUENCES = 2;
const MAX_WAITING = 16;
/** More takes memory, and the first evaluation of so long a prompt takes a CPU minutes. */
const DEFAULT_CONTEXT_TOKENS = 4_096;
/** Exceeds any reply for a listener; a small model may not find its end. */
const DEFAULT_MAX_TOKENS = 512;

/**
 * Loads a model with node-llama-cpp's prebuilt binary; nothing is compiled or downloaded.
 *
 * @throws Error if the file is not a GGUF, its architecture is unknown or memory is short.
 */
export async function loadGguf(options: LoadGgufOptions): Promise<Gguf> {
  const llamaCpp = await import("node-llama-cpp");
  const llama = await llamaCpp.getLlama({
    gpu: false,
    build: "never",
    progressLogs: false,
    logLevel: llamaCpp.LlamaLogLevel.disabled,
  });
  try {
    const model = await llama.loadModel({ modelPath: options.path });
    const context = await model.createContext({
      sequences: MAX_SEQUENCES,
      contextSize: { max: options.contextTokens ?? DEFAULT_CONTEXT_TOKENS },
      ...(options.threads === undefined ? {} : { threads: options.threads }),
    });
    const name = `local/${path.basename(options.path, ".gguf")}`;
    return new LoadedGguf(llamaCpp, llama, name, model, context);
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}

interface Talk {
  chat: LlamaChat;
  /** The prompt evaluated last, as text to compare with. */
  prompt: string;
}

class LoadedGguf implements Gguf {
  readonly name: string;
  readonly #model: LlamaModel;
  readonly #llama: Llama;
  readonly #queue: JobQueue;
  readonly #closing = new AbortController();
  readonly #talks: Talk[];
  /** Known only here: the memory, or the model itself, may allow less than was configured. */
  readonly #contextTokens: number;
  /** Aborts the background reply under way. */
  #giveWay: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    llamaCpp: typeof LlamaCpp,
    llama: Llama,
    name: string,
    model: LlamaModel,
    context: LlamaContext,
  ) {
    this.name = name;
    this.#model = model;
    this.#llama = llama;
    this.#contextTokens = context.contextSize;
    this.#queue = new JobQueue({ provider: name, maxWaiting: MAX_WAITING });
    this.#talks = Array.from({ length: MAX_SEQUENCES }, () => ({
      chat: new llamaCpp.LlamaChat({ contextSequence: context.getSequence() }),
      prompt: "",
    }));
  }

  readonly generate: Gguf["generate"] = async ({ options }, { signal, emit }) => {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    if (options.providerOptions?.["local"]?.["isBackground"] === true) {
      await this.#queue.run({ priority: "partial", signal: either }, async () => {
        await this.#generateInBackground(options, either, emit);
      });
      return {};
    }
    this.#giveWay?.();
    await this.#queue.run({ priority: "turn", signal: either }, async () => {
      await this.#generate(options, either, emit);
    });
    return {};
  };

  async close(): Promise<void> {
    this.#closing.abort(new Error(`${this.name} is closed`));
    // Queued behind the reply under way, whose memory must not be freed.
    this.#closed ??= this.#queue.run(
      { priority: "turn", signal: new AbortController().signal },
      async () => await this.#llama.dispose(),
    );
    await this.#closed;
  }

  async #generateInBackground(
    options: LanguageModelV4CallOptions,
    signal: AbortSignal,
    emit: (part: LanguageModelV4StreamPart) => void,
  ): Promise<void> {
    const giving = new AbortController();
    this.#giveWay = () => {
      const message = "gave way to a call";
      giving.abort(new ProviderError({ provider: this.name, kind: "status", message, isRetryable: true }));
    };
    try {
      await this.#generate(options, AbortSignal.any([signal, giving.signal]), emit);
    } finally {
      this.#giveWay = undefined;
    }
  }

  async #generate(
    options: LanguageModelV4CallOptions,
    signal: AbortSignal,
    emit: (part: LanguageModelV4StreamPart) => void,
  ): Promise<void> {
    const { prompt, tools } = options;
    const history = toChatHistory(trimToWindow(prompt, { contextTokens: this.#contextTokens, tools }));
    const talk = this.#takeTalk(JSON.stringify(history));
    const { chat } = talk;
    const meterBefore = chat.sequence.tokenMeter.getState();
    const grammar = await this.#grammarFor(options);
    const functions = grammar === undefined ? toFunctions(options) : undefined;
    const id = "reply";
    emit({ type: "stream-start", warnings: [] });
    emit({ type: "text-start", id });
    const { functionCalls, metadata } = await chat.generateResponse(history, {
      signal,
      maxTokens: options.maxOutputTokens ?? DEFAULT_MAX_TOKENS,
      onTextChunk: (delta) => emit({ type: "text-delta", id, delta }),
      ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
      ...(options.topP === undefined ? {} : { topP: options.topP }),
      ...(options.topK === undefined ? {} : { topK: options.topK }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      ...(options.stopSequences === undefined ? {} : { customStopTriggers: options.stopSequences }),
      ...(functions === undefined ? { ...(grammar !== undefined && { grammar }) } : { functions }),
    });
    emit({ type: "text-end", id });
    const calls = functionCalls ?? [];
    for (const [index, call] of calls.entries()) {
      const input = JSON.stringify(call.params ?? {});
      emit({
        type: "tool-call",
        toolCallId: `call-${options.prompt.length}-${index}`,
        toolName: call.functionName,
        input,
      });
    }
    const { usedInputTokens, usedOutputTokens } = chat.sequence.tokenMeter.diff(meterBefore);
    const isCut = metadata.stopReason === "maxTokens";
    emit({
      type: "finish",
      finishReason: {
        unified: calls.length > 0 ? "tool-calls" : isCut ? "length" : "stop",
        raw: metadata.stopReason,
      },
      usage: {
        inputTokens: {
          total: usedInputTokens,
          noCache: usedInputTokens,
          cacheRead: undefined,
          cacheWrite: undefined,
        },
        outputTokens: { total: usedOutputTokens, text: usedOutputTokens, reasoning: undefined },
      },
    });
  }

  async #grammarFor({ responseFormat }: LanguageModelV4CallOptions): Promise<LlamaGrammar | undefined> {
    if (responseFormat?.type !== "json") return undefined;
    const schema = toGrammarSchema(responseFormat.schema);
    if (schema === undefined) return await this.#llama.getGrammarFor("json");
    return await this.#llama.createGrammarForJsonSchema<GbnfJsonSchema>(schema);
  }

  /**
   * Selects the conversation with the longest common prefix with this prompt, the least recently used one among equals.
   */
  #takeTalk(prompt: string): Talk {
    const shared = this.#talks.map((talk) => sharedLength(talk.prompt, prompt));
    const index = shared.indexOf(Math.max(...shared));
    const [talk] = this.#talks.splice(index, 1);
    if (talk === undefined) throw new Error(`${this.#model.filename ?? this.name} has no sequence`);
    this.#talks.push(talk);
    talk.prompt = prompt;
    return talk;
  }
}

function sharedLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index;
  return end;
}
