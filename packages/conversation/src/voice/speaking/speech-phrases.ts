import type { AgentVoice, SpeechStyle } from "./agent-voice.ts";
import { synthesize } from "./synthesize.ts";

/** Silence after which a voice counts as failed; shorter if another voice can replace it. */
const SILENCE_TIMEOUT_MS = 10_000;
const SILENCE_BEFORE_FALLBACK_TIMEOUT_MS = 2_000;
/** Maximum number of recordings; a few megabytes, since phrases last a few seconds. */
const MAX_RECORDINGS = 300;

/** Phrases requested together. */
interface Batch {
  first: AgentVoice;
  /** The voices that have not failed. */
  voices: readonly AgentVoice[];
  style: SpeechStyle;
  /** Texts not synthesized yet. */
  texts: string[];
  finish: () => void;
}

/**
 * Phrases that must be available at once when a provider fails, synthesized in advance and one by one, so that calls
 * keep their share of the voice. One book serves all calls of a process; its owner closes it.
 */
export class PhraseBook {
  /** Oldest first. */
  readonly #recordings = new Map<string, Int16Array>();
  readonly #wanted = new Set<string>();
  readonly #closing = new AbortController();
  /** The last batch is synthesized first: a call that has just begun needs its phrases soonest. */
  readonly #batches: Batch[] = [];
  #isWorking = false;

  /** The audio of a phrase in the first of the voices that has it. */
  find(voices: readonly AgentVoice[], style: SpeechStyle, text: string): Int16Array | undefined {
    for (const voice of voices) {
      const recording = this.#recordings.get(recordingKey(voice, style, text));
      if (recording !== undefined) return recording;
    }
    return undefined;
  }

  /** Synthesizes missing phrases, each with the first voice that succeeds. Resolves when done; never rejects. */
  async prepare(voices: readonly AgentVoice[], style: SpeechStyle, texts: readonly string[]): Promise<void> {
    const [first] = voices;
    if (first === undefined) return;
    const missing = [...new Set(texts)].filter((text) => {
      const key = recordingKey(first, style, text);
      return !this.#recordings.has(key) && !this.#wanted.has(key);
    });
    for (const text of missing) this.#wanted.add(recordingKey(first, style, text));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#batches.push({ first, voices, style, texts: missing, finish: resolve });
    if (!this.#isWorking) void this.#work();
    await promise;
  }

  /** Stops synthesis. Idempotent. */
  close(): void {
    this.#closing.abort();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let batch = this.#batches.at(-1); batch !== undefined; batch = this.#batches.at(-1)) {
      const text = batch.texts.shift();
      if (text === undefined) {
        this.#batches.pop();
        batch.finish();
        continue;
      }
      batch.voices = await this.#record(batch.voices, batch.style, text);
      this.#wanted.delete(recordingKey(batch.first, batch.style, text));
    }
    this.#isWorking = false;
  }

  /** Synthesizes one text and returns the voices left after those that failed. */
  async #record(
    voices: readonly AgentVoice[],
    style: SpeechStyle,
    text: string,
  ): Promise<readonly AgentVoice[]> {
    for (const [index, voice] of voices.entries()) {
      const isLast = index + 1 === voices.length;
      const silenceMs = isLast ? SILENCE_TIMEOUT_MS : SILENCE_BEFORE_FALLBACK_TIMEOUT_MS;
      const deadlineMs = voice.tts.preparationTimeoutMs ?? silenceMs;
      const recording = await synthesize(voice, style, text, { deadlineMs, signal: this.#closing.signal });
      if (recording === undefined) continue;
      this.#recordings.set(recordingKey(voice, style, text), recording);
      const oldest = this.#recordings.keys().next();
      if (this.#recordings.size > MAX_RECORDINGS && oldest.done !== true)
        this.#recordings.delete(oldest.value);
      return voices.slice(index);
    }
    return [];
  }
}

function recordingKey({ tts, voice }: AgentVoice, style: SpeechStyle, text: string): string {
  return JSON.stringify([
    tts.name,
    voice,
    style.language,
    style.speed,
    style.temperature,
    style.sampleRateHz,
    text,
  ]);
}
