import type { TextToSpeech, TextToSpeechOptions, TextToSpeechStream, Timers } from "@parley/conversation";
import { tone } from "@parley/conversation/testing";
import { SAMPLE_RATE_HZ, SAMPLES_PER_MS } from "./sounds.ts";
import type { SpokenScript } from "./spoken-scripts.ts";

export interface AgentVoiceOptions {
  lines: ReadonlyMap<string, SpokenScript>;
  timers: Timers;
  /** Milliseconds from a clause that is not recorded to its audio. */
  delayMs: number;
  /** Whether it reports when each word is spoken, as some providers do. */
  hasWordTimings: boolean;
}

/** Speaks the agent's recorded lines of the set clause by clause, and any other text as a tone. */
export class AgentVoice implements TextToSpeech {
  readonly name = "bench/recorded";
  readonly #options: AgentVoiceOptions;

  constructor(options: AgentVoiceOptions) {
    this.#options = options;
  }

  open({ onEvent }: TextToSpeechOptions): TextToSpeechStream {
    const { lines, timers, delayMs, hasWordTimings } = this.#options;
    let spokenWords = 0;
    let isClosed = false;
    let isRecorded = true;
    const send = (event: Parameters<typeof onEvent>[0]): void => {
      const deliver = (): void => {
        if (!isClosed) onEvent(event);
      };
      if (isRecorded || delayMs === 0) queueMicrotask(deliver);
      else timers.set(delayMs, deliver);
    };
    return {
      speak: (clauseId, text) => {
        const words = text.trim().split(" ");
        const line = [...lines.values()].find((each) => each.text.includes(text.trim()));
        isRecorded = line !== undefined;
        if (line === undefined) send({ type: "audio", clauseId, pcm: tone(400, SAMPLE_RATE_HZ, 3000) });
        else {
          const endsMs = line.wordEndsMs.slice(spokenWords, spokenWords + words.length);
          const startMs = spokenWords === 0 ? 0 : (line.wordEndsMs[spokenWords - 1] ?? 0);
          spokenWords += words.length;
          const isLast = spokenWords >= line.wordEndsMs.length;
          const endSample = isLast ? line.pcm.length : (endsMs.at(-1) ?? 0) * SAMPLES_PER_MS;
          send({ type: "audio", clauseId, pcm: line.pcm.slice(startMs * SAMPLES_PER_MS, endSample) });
          const timings = words.map((word, index) => ({
            text: word,
            startMs: (endsMs[index - 1] ?? startMs) - startMs,
            endMs: (endsMs[index] ?? startMs) - startMs,
          }));
          if (hasWordTimings) send({ type: "words", clauseId, words: timings });
        }
        send({ type: "clauseEnded", clauseId });
      },
      end: () => send({ type: "ended" }),
      pause: () => {},
      resume: () => {},
      close: () => (isClosed = true),
    };
  }
}
