import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import type { LanguageModel } from "../providers/language-model.ts";
import type { ProviderError } from "../providers/provider-error.ts";
import type { Timers } from "../timers.ts";
import { Deadline, timeoutError } from "./deadline.ts";
import { toProviderError } from "./model-error.ts";

export interface ModelDeadlines {
  /** Maximum time to the first text or tool call, including unspoken reasoning. */
  firstTokenMs: number;
  betweenTokensMs: number;
}

export type ModelPart =
  | { type: "text"; text: string }
  | LanguageModelV4ToolCall
  /** The error of the first attempt; a second one is under way. */
  | { type: "retry"; error: ProviderError };

/** Maximum `Retry-After` that is waited for before a retry. */
const MAX_RETRY_DELAY_MS = 2000;

export interface ModelRound {
  model: LanguageModel;
  options: Omit<LanguageModelV4CallOptions, "abortSignal">;
  signal: AbortSignal;
  timers: Timers;
  deadlines: ModelDeadlines;
}

/**
 * One answer of the model, retried once if it failed before its first part and the error is retryable.
 *
 * @throws ProviderError or the reason of the owner's abort.
 */
export async function* streamModel(round: ModelRound): AsyncGenerator<ModelPart> {
  for (let attempt = 1; ; attempt++) {
    let hasStarted = false;
    try {
      for await (const part of attemptModel(round)) {
        hasStarted = true;
        yield part;
      }
      return;
    } catch (cause) {
      round.signal.throwIfAborted();
      const error = toProviderError(cause, providerName(round.model));
      const delayMs = error.retryAfterMs ?? 0;
      if (hasStarted || attempt > 1 || !error.isRetryable || delayMs > MAX_RETRY_DELAY_MS) throw error;
      yield { type: "retry", error };
      if (delayMs > 0) await pause(delayMs, round);
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

async function* attemptModel(round: ModelRound): AsyncGenerator<ModelPart> {
  const { model, deadlines } = round;
  const deadline = new Deadline(round.signal, round.timers);
  const expectToken = (what: string, withinMs: number): void =>
    deadline.arm(withinMs, () => timeoutError(providerName(model), what, withinMs));
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  // Canceling the reader settles its pending read at once, even if the provider has stalled.
  const cancelRead = (): void => {
    reader?.cancel().catch(() => {});
  };
  deadline.signal.addEventListener("abort", cancelRead, { once: true });
  try {
    expectToken("no first token", deadlines.firstTokenMs);
    const opening = model.doStream({ ...round.options, abortSignal: deadline.signal });
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

function providerName(model: LanguageModel): string {
  return `${model.provider}/${model.modelId}`;
}
