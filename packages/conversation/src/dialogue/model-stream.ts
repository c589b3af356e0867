import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import type { ProviderError } from "../providers/provider-error.ts";
import type { Timers } from "../timers.ts";
import { Deadline, timeoutError } from "./deadline.ts";
import { toProviderError } from "./model-error.ts";
import type { ModelFailover } from "./model-failover.ts";

/** Waits for a model. */
interface TokenDeadlines {
  /** Maximum time to the first text or tool call, including unspoken reasoning. */
  firstTokenMs: number;
  betweenTokensMs: number;
}

export interface ModelDeadlines extends TokenDeadlines {
  /** While another model can take over; default: the same. */
  beforeFallback?: TokenDeadlines | undefined;
}

export type ModelPart =
  | { type: "text"; text: string }
  | LanguageModelV4ToolCall
  /** The error of an attempt; another one, with this model, is under way. */
  | { type: "retry"; error: ProviderError; takenOverBy: string };

export interface ModelRound {
  models: ModelFailover;
  /** The request. `isContinuation`: another model has begun the answer and broke off. */
  options: (isContinuation: boolean) => Omit<LanguageModelV4CallOptions, "abortSignal">;
  signal: AbortSignal;
  timers: Timers;
  deadlines: ModelDeadlines;
}

/**
 * One answer of the model. After a failure the same model is asked again, or the next one, which continues what was
 * answered so far. An answer that has called a tool ends there instead: the next one reports the tool's result.
 *
 * @throws ProviderError or the reason of the owner's abort.
 */
export async function* streamModel(round: ModelRound): AsyncGenerator<ModelPart> {
  const { models, signal } = round;
  models.beginAnswer();
  let hasText = false;
  let hasCalledTool = false;
  for (;;) {
    const model = models.current;
    let hasBegun = false;
    try {
      for await (const part of attemptModel(round, hasText)) {
        if (!hasBegun) model.onAnswer?.();
        hasBegun = true;
        if (part.type === "text") hasText = true;
        else hasCalledTool = true;
        yield part;
      }
      return;
    } catch (cause) {
      signal.throwIfAborted();
      const error = toProviderError(cause, models.name);
      model.onFailure?.(error);
      if (!models.choose(error, hasText || hasCalledTool)) throw error;
      yield { type: "retry", error, takenOverBy: models.name };
      if (hasCalledTool) return;
      if (model === models.current && error.retryAfterMs !== undefined)
        await pause(error.retryAfterMs, round);
    }
  }
}

async function pause(delayMs: number, { signal, timers }: ModelRound): Promise<void> {
  const wait = new Deadline(signal, timers);
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timers.set(delayMs, resolve);
  try {
    await wait.race(promise);
  } finally {
    cancel();
    wait.close();
  }
}

async function* attemptModel(round: ModelRound, isContinuation: boolean): AsyncGenerator<ModelPart, void> {
  const { models } = round;
  const { current: model, name } = models;
  const deadlines = (models.isLast ? undefined : round.deadlines.beforeFallback) ?? round.deadlines;
  const deadline = new Deadline(round.signal, round.timers);
  const expectToken = (what: string, withinMs: number): void =>
    deadline.arm(withinMs, () => timeoutError(name, what, withinMs));
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  // Canceling the reader settles its pending read at once, even if the provider has stalled.
  const cancelRead = (): void => {
    reader?.cancel().catch(() => {});
  };
  deadline.signal.addEventListener("abort", cancelRead, { once: true });
  try {
    expectToken("no first token", deadlines.firstTokenMs);
    const opening = model.doStream({ ...round.options(isContinuation), abortSignal: deadline.signal });
    reader = (await deadline.race(opening)).stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      deadline.signal.throwIfAborted();
      if (done) return;
      if (!isProgress(value)) continue;
      // The timer does not run while the consumer handles the part: only the provider's silence counts.
      deadline.disarm();
      const part = toModelPart(value);
      if (part !== undefined) yield part;
      expectToken("no further token", deadlines.betweenTokensMs);
    }
  } finally {
    deadline.close();
    cancelRead();
  }
}

function isProgress(part: LanguageModelV4StreamPart): boolean {
  return /^(text-delta|tool-call|tool-input-(start|delta)|finish|error)$/.test(part.type);
}

function toModelPart(part: LanguageModelV4StreamPart): ModelPart | undefined {
  if (part.type === "text-delta") return part.delta === "" ? undefined : { type: "text", text: part.delta };
  if (part.type === "tool-call") return part.providerExecuted === true ? undefined : part;
  if (part.type === "error") throw part.error;
  return undefined;
}
