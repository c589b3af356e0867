import { TimeStretcher } from "@parley/audio";
import type {
  TextToSpeech,
  TextToSpeechEvent,
  TextToSpeechOptions,
  TextToSpeechStream,
  WordTiming,
} from "@parley/conversation";

/** Speeds that a provider accepts. */
export type SpeedRange = readonly [slowest: number, fastest: number];

/** A smaller difference is not audible and would only cost quality. */
const LEAST_STRETCH = 0.005;

/** Speaks at every speed: the provider at the nearest one that it accepts, and a time stretch does the rest. */
export function withSpeedRange<Voice extends TextToSpeech>(
  tts: Voice,
  [slowest, fastest]: SpeedRange,
): Voice {
  const open = (options: TextToSpeechOptions): TextToSpeechStream => {
    const speed = Math.min(fastest, Math.max(slowest, options.speed));
    const rest = options.speed / speed;
    if (Math.abs(rest - 1) < LEAST_STRETCH) return tts.open({ ...options, speed });
    return new StretchedReply(options, rest, (onEvent) => tts.open({ ...options, speed, onEvent }));
  };
  return new Proxy(tts, {
    get: (target, name) => {
      if (name === "open") return open;
      const value: unknown = Reflect.get(target, name);
      // Only the original object has the private fields.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Stretches the audio of a reply, clause by clause, and its word times. */
class StretchedReply implements TextToSpeechStream {
  readonly #onEvent: TextToSpeechOptions["onEvent"];
  readonly #speed: number;
  readonly #stretcher: TimeStretcher;
  readonly #stream: TextToSpeechStream;
  #isClosed = false;

  constructor(
    { sampleRateHz, onEvent }: TextToSpeechOptions,
    speed: number,
    open: (onEvent: TextToSpeechOptions["onEvent"]) => TextToSpeechStream,
  ) {
    this.#onEvent = onEvent;
    this.#speed = speed;
    this.#stretcher = new TimeStretcher(sampleRateHz, speed);
    this.#stream = open((event) => this.#take(event));
  }

  speak(clauseId: number, text: string): void {
    this.#stream.speak(clauseId, text);
  }

  end(): void {
    this.#stream.end();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#stream.close();
  }

  #take(event: TextToSpeechEvent): void {
    if (event.type === "audio") return this.#emit({ ...event, pcm: this.#stretcher.process(event.pcm) });
    if (event.type === "clauseEnded")
      this.#emit({ type: "audio", clauseId: event.clauseId, pcm: this.#stretcher.flush() });
    this.#emit(
      event.type === "words" ? { ...event, words: event.words.map((word) => this.#slow(word)) } : event,
    );
  }

  #slow({ text, startMs, endMs }: WordTiming): WordTiming {
    return { text, startMs: startMs / this.#speed, endMs: endMs / this.#speed };
  }

  #emit(event: TextToSpeechEvent): void {
    if (this.#isClosed || (event.type === "audio" && event.pcm.length === 0)) return;
    this.#onEvent(event);
  }
}
