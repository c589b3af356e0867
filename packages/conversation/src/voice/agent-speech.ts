import type { ReplyPart } from "../dialogue/dialogue.ts";
import { toProviderError } from "../dialogue/model-error.ts";
import { ProviderError } from "../providers/provider-error.ts";
import type {
  TextToSpeech,
  TextToSpeechEvent,
  TextToSpeechOptions,
  TextToSpeechStream,
} from "../providers/text-to-speech.ts";
import { ClauseSplitter } from "./clause-splitter.ts";
import { isSpeakable, speakableText } from "./speakable-text.ts";
import { SpeechOutput } from "./speech-output.ts";

const FIRST_AUDIO_DEADLINE_MS = 4000;
const NEXT_AUDIO_DEADLINE_MS = 3000;

export interface AgentSpeechOptions {
  tts: TextToSpeech;
  voice: Omit<TextToSpeechOptions, "onEvent">;
  /** What to say: a fixed text, or a reply as the model writes it. */
  source: string | AsyncIterable<ReplyPart>;
  /** Cancels the source when the speech is stopped. */
  controller: AbortController;
  /** Monotonic milliseconds, for the latency marks. */
  now: () => number;
  onTool: (part: ReplyPart & { type: "toolCall" | "toolResult" }) => void;
  onMessage: (segment: number) => void;
  onFault: (part: "llm" | "tts", error: ProviderError) => void;
}

/** Moments of a speech, on the clock of `now`. */
export interface SpeechMarks {
  firstTextMs?: number;
  firstClauseMs?: number;
  firstAudioMs?: number;
}

export type SpeechOutcome =
  | { type: "ended"; endsConversation: boolean }
  | { type: "failed"; part: "llm" | "tts"; error: ProviderError };

/** Something the agent says: text in, clauses to synthesis, frames out. Owns its synthesis stream. */
export class AgentSpeech {
  readonly output: SpeechOutput;
  readonly marks: SpeechMarks = {};
  /** Resolves when the first audio is there, or none will come. */
  readonly ready: Promise<void>;
  readonly #options: AgentSpeechOptions;
  readonly #splitter = new ClauseSplitter();
  /** What was sent to synthesis, as long as it may have to be sent again. */
  #unvoiced: { id: number; text: string }[] = [];
  readonly #resolveReady: () => void;
  #stream: TextToSpeechStream;
  #nextClauseId = 1;
  #segment = 0;
  #isTextComplete = false;
  #endsConversation = false;
  #isPaused = false;
  #isClosed = false;
  #attempt = 0;
  #failure: (SpeechOutcome & { type: "failed" }) | undefined;
  /** Media time since when synthesis has owed audio that should be playing. */
  #starvedSinceMs: number | undefined;

  constructor(options: AgentSpeechOptions) {
    this.#options = options;
    this.output = new SpeechOutput(options.voice.sampleRateHz);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#resolveReady = resolve;
    this.#stream = this.#openStream();
    const { source } = options;
    if (typeof source === "string") this.#sayAll(source);
    else this.#follow(source).catch((cause: unknown) => this.#failText(cause));
  }

  /** How the speech ended, once nothing of it is left to be handed out. */
  get outcome(): SpeechOutcome | undefined {
    if (!this.output.isDry) return undefined;
    if (this.#failure?.part === "tts") return this.#failure;
    if (!this.#isTextComplete || this.output.isOwedAudio) return undefined;
    return this.#failure ?? { type: "ended", endsConversation: this.#endsConversation };
  }

  /** Once per tick of the media clock: keeps the deadlines of synthesis and its flow. */
  tick(atMs: number): void {
    if (this.#isClosed || this.#failure?.part === "tts") return;
    this.#regulateFlow();
    if (!this.output.isDry || !this.output.isOwedAudio) {
      this.#starvedSinceMs = undefined;
      return;
    }
    this.#starvedSinceMs ??= atMs;
    const deadlineMs =
      this.marks.firstAudioMs === undefined ? FIRST_AUDIO_DEADLINE_MS : NEXT_AUDIO_DEADLINE_MS;
    if (atMs - this.#starvedSinceMs < deadlineMs) return;
    this.#starvedSinceMs = undefined;
    this.#failSynthesis(this.#synthesisError("timeout", `no audio within ${deadlineMs} ms`));
  }

  /** Cancels source and synthesis. Idempotent; what was heard can still be read from `output`. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.controller.abort();
    this.#stream.close();
    this.#resolveReady();
  }

  // ─── text ───

  #sayAll(text: string): void {
    this.#addText(text, 0);
    this.#completeText();
  }

  async #follow(source: AsyncIterable<ReplyPart>): Promise<void> {
    for await (const part of source) {
      if (this.#isClosed) return;
      this.#take(part);
    }
    this.#completeText();
  }

  /** Whole clauses that are on their way are still said. */
  #failText(cause: unknown): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    const error = toProviderError(cause, "llm");
    this.#options.onFault("llm", error);
    this.#failure = { type: "failed", part: "llm", error };
    this.#endText();
  }

  #take(part: ReplyPart): void {
    switch (part.type) {
      case "text":
        return this.#addText(part.text, part.segment);
      case "toolCall":
        this.#speakAll(this.#splitter.flush());
        return this.#options.onTool(part);
      case "toolResult":
        return this.#options.onTool(part);
      case "wait":
        return this.#speakAll(this.#splitter.flush());
      case "retry":
        return this.#options.onFault("llm", part.error);
      case "end":
        this.#endsConversation = part.endsConversation;
    }
  }

  #addText(text: string, segment: number): void {
    this.marks.firstTextMs ??= this.#options.now();
    if (segment !== this.#segment) this.#speakAll(this.#splitter.flush());
    this.#segment = segment;
    this.#options.onMessage(segment);
    this.#speakAll(this.#splitter.push(text));
  }

  #completeText(): void {
    this.#speakAll(this.#splitter.flush());
    this.#endText();
  }

  #endText(): void {
    this.#isTextComplete = true;
    if (this.#failure?.part !== "tts") this.#stream.end();
    if (!this.output.isOwedAudio && this.output.isDry) this.#resolveReady();
  }

  #speakAll(clauses: readonly string[]): void {
    if (this.#failure?.part === "tts") return;
    for (const clause of clauses) {
      const text = speakableText(clause);
      if (!isSpeakable(text)) continue;
      this.marks.firstClauseMs ??= this.#options.now();
      const id = this.#nextClauseId++;
      this.output.addClause(id, withItsSpace(text, clause), this.#segment);
      if (this.marks.firstAudioMs === undefined) this.#unvoiced.push({ id, text });
      this.#stream.speak(id, text);
    }
  }

  // ─── synthesis ───

  #openStream(): TextToSpeechStream {
    const attempt = ++this.#attempt;
    return this.#options.tts.open({
      ...this.#options.voice,
      onEvent: (event) => {
        if (!this.#isClosed && attempt === this.#attempt) this.#receive(event);
      },
    });
  }

  #receive(event: TextToSpeechEvent): void {
    switch (event.type) {
      case "audio":
        if (this.marks.firstAudioMs === undefined) {
          this.marks.firstAudioMs = this.#options.now();
          this.#unvoiced = [];
          this.#resolveReady();
        }
        this.#starvedSinceMs = undefined;
        this.output.push(event.clauseId, event.pcm);
        return this.#regulateFlow();
      case "words":
        return this.output.addWords(event.clauseId, event.words);
      case "clauseEnded":
        return this.output.completeClause(event.clauseId);
      case "ended":
        return this.output.completeAll();
      case "failed":
        return this.#failSynthesis(event.error);
    }
  }

  #regulateFlow(): void {
    if (this.output.isOverrun) {
      return this.#failSynthesis(
        this.#synthesisError("connection", "sends on although it was asked to pause"),
      );
    }
    if (!this.#isPaused && this.output.shouldPause) {
      this.#isPaused = true;
      this.#stream.pause();
    } else if (this.#isPaused && this.output.mayResume) {
      this.#isPaused = false;
      this.#stream.resume();
    }
  }

  /** Before any audio was heard a second stream may succeed; after it the caller would hear words twice or not. */
  #failSynthesis(error: ProviderError): void {
    this.#options.onFault("tts", error);
    this.#stream.close();
    if (error.isRetryable && this.#attempt === 1 && this.marks.firstAudioMs === undefined) {
      this.#stream = this.#openStream();
      for (const { id, text } of this.#unvoiced) this.#stream.speak(id, text);
      if (this.#isTextComplete) this.#stream.end();
      return;
    }
    this.#attempt++;
    this.#failure = { type: "failed", part: "tts", error };
    this.#options.controller.abort();
    this.#resolveReady();
  }

  #synthesisError(kind: "timeout" | "connection", message: string): ProviderError {
    return new ProviderError({
      provider: this.#options.tts.name,
      kind,
      message,
      isRetryable: kind === "timeout",
    });
  }
}

/** Clauses are joined again for the transcript, so each keeps the space (or none) that followed it. */
function withItsSpace(spoken: string, written: string): string {
  return /\s$/.test(written) ? `${spoken} ` : spoken;
}
