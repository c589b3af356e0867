import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { LanguageModel } from "../providers/language-model.ts";
import { systemTimers, type Timers } from "../timers.ts";

export type ModelStep =
  | { type: "text"; text: string }
  | { type: "toolCall"; toolCallId?: string; toolName: string; input: unknown }
  | { type: "reasoning"; text: string }
  | { type: "delay"; delayMs: number }
  /** Thrown by `doStream` if it is the first step, otherwise sent as the stream's error. */
  | { type: "error"; error: Error }
  /** No further part follows. */
  | { type: "stall" };

/** Answer to one request; a plain string is sent word by word. */
export type ModelScript = string | readonly ModelStep[];

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/**
 * A language model that follows a script, one entry per request. Later requests are answered by `fallback`, or with
 * silence.
 */
export class ScriptedLanguageModel implements LanguageModel {
  readonly specificationVersion = "v4";
  readonly provider = "scripted";
  readonly modelId: string;
  readonly supportedUrls = {};
  /** The requests received, in order. */
  readonly requests: LanguageModelV4CallOptions[] = [];
  /** The instructions for which it was asked to prepare, in order. */
  readonly preparedFor: string[] = [];
  readonly #script: ModelScript[];
  readonly #timers: Timers;
  readonly #fallback: ((request: LanguageModelV4CallOptions) => ModelScript) | undefined;

  constructor(
    script: readonly ModelScript[],
    options: {
      timers?: Timers;
      modelId?: string;
      fallback?: (request: LanguageModelV4CallOptions) => ModelScript;
    } = {},
  ) {
    this.modelId = options.modelId ?? "model";
    this.#script = [...script];
    this.#timers = options.timers ?? systemTimers;
    this.#fallback = options.fallback;
  }

  prepare(instructions: string): void {
    this.preparedFor.push(instructions);
  }

  doGenerate(): never {
    throw new Error("only doStream is used");
  }

  doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    this.requests.push({ ...options, prompt: structuredClone(options.prompt) });
    const steps = toSteps(this.#script.shift() ?? this.#fallback?.(options) ?? []);
    const first = steps[0];
    if (first?.type === "error") return Promise.reject(first.error);
    return Promise.resolve({ stream: ReadableStream.from(this.#play(steps)) });
  }

  async *#play(steps: readonly ModelStep[]): AsyncGenerator<LanguageModelV4StreamPart> {
    let calls = 0;
    yield { type: "stream-start", warnings: [] };
    for (const step of steps) {
      switch (step.type) {
        case "delay":
          await this.#wait(step.delayMs);
          break;
        case "stall":
          await new Promise(() => {});
          break;
        case "text":
          yield { type: "text-delta", id: "text", delta: step.text };
          break;
        case "reasoning":
          yield { type: "reasoning-delta", id: "reasoning", delta: step.text };
          break;
        case "error":
          yield { type: "error", error: step.error };
          break;
        case "toolCall": {
          calls++;
          const { toolCallId = `${this.requests.length}-${calls}`, toolName, input } = step;
          yield { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
          break;
        }
      }
    }
    const unified = calls > 0 ? "tool-calls" : "stop";
    yield { type: "finish", usage: NO_USAGE, finishReason: { unified, raw: undefined } };
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#timers.set(delayMs, resolve);
    });
  }
}

function toSteps(script: ModelScript): readonly ModelStep[] {
  if (typeof script !== "string") return script;
  return (script.match(/\s*\S+|\s+$/g) ?? []).map((text) => ({ type: "text", text }));
}
