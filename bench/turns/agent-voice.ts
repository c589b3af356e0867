import type { TextToSpeech, TextToSpeechOptions, TextToSpeechStream } from "@parley/conversation";
import { tone } from "@parley/conversation/testing";
import { rms, SAMPLE_RATE_HZ, SAMPLES_PER_MS } from "./sounds.ts";

/** A clause's end is looked for this far round where its share of the text puts it. */
const SEARCH_MS = 500;
const QUIET_MS = 60;

/** Speaks the set's lines of the agent as they were recorded, clause by clause; anything else is a tone. */
export class AgentVoice implements TextToSpeech {
  readonly name = "bench/recorded";
  readonly #lines: ReadonlyMap<string, Int16Array>;

  constructor(lines: ReadonlyMap<string, Int16Array>) {
    this.#lines = lines;
  }

  open({ onEvent }: TextToSpeechOptions): TextToSpeechStream {
    let spokenCharacters = 0;
    let spokenSamples = 0;
    let isClosed = false;
    const send = (event: Parameters<typeof onEvent>[0]): void =>
      queueMicrotask(() => {
        if (!isClosed) onEvent(event);
      });
    return {
      speak: (clauseId, text) => {
        const line = [...this.#lines].find(([whole]) => whole.includes(text.trim()));
        let pcm = tone(400, SAMPLE_RATE_HZ, 3000);
        if (line !== undefined) {
          const [whole, audio] = line;
          spokenCharacters += text.trim().length + 1;
          const end = clauseEnd(audio, Math.min(1, spokenCharacters / (whole.length + 1)));
          pcm = audio.slice(spokenSamples, end);
          spokenSamples = end;
        }
        send({ type: "audio", clauseId, pcm });
        send({ type: "clauseEnded", clauseId });
      },
      end: () => send({ type: "ended" }),
      pause: () => {},
      resume: () => {},
      close: () => (isClosed = true),
    };
  }
}

/** The quietest place near where a share of the text should have been said. */
function clauseEnd(audio: Int16Array, share: number): number {
  if (share === 1) return audio.length;
  const about = share * audio.length;
  const window = QUIET_MS * SAMPLES_PER_MS;
  let quietest = { at: about, level: Infinity };
  for (
    let at = about - SEARCH_MS * SAMPLES_PER_MS;
    at < about + SEARCH_MS * SAMPLES_PER_MS;
    at += window / 2
  ) {
    const level = rms(audio.subarray(Math.max(0, at), at + window));
    if (level < quietest.level) quietest = { at: at + window / 2, level };
  }
  return Math.round(quietest.at);
}
