import type { ReplyPart } from "../../dialogue/dialogue.ts";
import { timeoutError } from "../../dialogue/deadline.ts";
import { toProviderError } from "../../dialogue/model-error.ts";
import { ProviderError } from "../../providers/provider-error.ts";
import type {
  TextToSpeech,
  TextToSpeechEvent,
  TextToSpeechOptions,
  TextToSpeechStream,
} from "../../providers/text-to-speech.ts";
import { ClauseSplitter } from "./clause-splitter.ts";
import { isSpeakable, speakableText } from "./speakable-text.ts";
import { PlayoutBuffer } from "./playout-buffer.ts";
import { SynthesisPace } from "./synthesis-pace.ts";
import type { VoiceSpeeds } from "./voice-speeds.ts";

/** How long synthesis may owe audio: before the first of it and between two pieces. */
interface AudioTimeouts {
  firstMs: number;
  nextMs: number;
}

/** Where another voice stands ready the caller is not kept waiting for this one. */
const AUDIO_TIMEOUTS_BEFORE_FALLBACK: AudioTimeouts = { firstMs: 1200, nextMs: 800 };
const AUDIO_TIMEOUTS: AudioTimeouts = { firstMs: 4000, nextMs: 3000 };
/** A slow voice that nothing replaces is waited for, so many times as long as it probably takes, … */
const SLOW_VOICE_PATIENCE = 2;
/** … but no longer than this. */
const MAX_SLOW_VOICE_TIMEOUT_MS = 15_000;
/** A speech in which nothing happens for so long has hung, whatever it waits for; tools keep their own deadline. */
const STANDSTILL_TIMEOUT_MS = 30_000;

const MAX_ATTEMPTS_WITH_VOICE = 2;

/** A voice of a provider, in its naming. */
export interface AgentVoice {
  tts: TextToSpeech;
  voice: string;
}

export type SpeechStyle = Omit<TextToSpeechOptions, "onEvent" | "voice">;

export interface SynthesisOptions {
  /** In the order in which they are tried; not empty. */
  voices: readonly AgentVoice[];
  style: SpeechStyle;
  /** What to say: a fixed text, or a reply as the model writes it. */
  source: string | AsyncIterable<ReplyPart>;
  /** The audio of a fixed text, where it was synthesized before. */
  recording?: Int16Array | undefined;
  /** Audio wanted ahead before it counts as ready; 0 (the default): the first of it. */
  leadMs?: number;
  /** Cancels the source when the speech is stopped. */
  controller: AbortController;
  /** Monotonic milliseconds, for the latency marks and the speed of voices. */
  now: () => number;
  /** How fast voices are; measured here. */
  speeds: VoiceSpeeds;
  onTool: (part: ReplyPart & { type: "toolCall" | "toolResult" }) => void;
  onMessage: (segment: number) => void;
  onFault: (part: "llm" | "tts", error: ProviderError) => void;
  /** From here on another of the voices speaks. */
  onVoice: (index: number) => void;
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
export class Synthesis {
  readonly output: PlayoutBuffer;
  readonly marks: SpeechMarks = {};
  /** Resolves when audio can be handed out, as much as `leadMs` or all of it, or none will come by itself. */
  readonly ready: Promise<void>;
  readonly #options: SynthesisOptions;
  readonly #splitter = new ClauseSplitter();
  readonly #pace: SynthesisPace;
  readonly #resolveReady: () => void;
  /** Undefined before the first clause of a recording, and once nothing more is to be synthesized. */
  #stream: TextToSpeechStream | undefined;
  #nextClauseId = 1;
  #segment = 0;
  #isTextComplete = false;
  /** It ends with the sentence that is being said. */
  #isFinishing = false;
  #endsConversation = false;
  #isPaused = false;
  #isClosed = false;
  #voiceIndex = 0;
  #attemptsWithVoice = 0;
  #hasAudioOfStream = false;
  #awaitedTools = 0;
  #hasProgressed = true;
  #progressAtMs = 0;
  #failure: (SpeechOutcome & { type: "failed" }) | undefined;
  /** Media time since when synthesis has owed audio that should be playing. */
  #starvedSinceMs: number | undefined;

  constructor(options: SynthesisOptions) {
    this.#options = options;
    const { speeds, style, now } = options;
    this.#pace = new SynthesisPace({ speeds, speed: style.speed, voice: () => this.#voice, now });
    this.output = new PlayoutBuffer(style.sampleRateHz, this.#pace);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#resolveReady = resolve;
    const { source, recording } = options;
    if (typeof source === "string" && recording !== undefined) {
      this.#play(source, recording);
      return;
    }
    this.#stream = this.#openStream();
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

  /** Its source waits for a tool's answer. */
  get isAwaitingTool(): boolean {
    return this.#awaitedTools > 0;
  }

  /** Once per tick of the media clock: keeps the deadlines of synthesis and its flow. */
  tick(atMs: number): void {
    if (this.#isClosed || this.#failure?.part === "tts") return;
    this.#noticeStandstill(atMs);
    this.#regulateFlow();
    if (this.output.playableMs > 0 || !this.output.isOwedAudio) {
      this.#starvedSinceMs = undefined;
      return;
    }
    this.#starvedSinceMs ??= atMs;
    const deadlineMs = this.#audioDeadlineMs();
    // What is held would be playing with a faster voice.
    if (atMs - this.#starvedSinceMs < deadlineMs + this.output.bufferedMs) return;
    this.#failSynthesis(this.#providerError("timeout", `no audio within ${deadlineMs} ms`));
  }

  /** Drops what follows the sentence that is being said, as soon as its end is known; the conversation goes on after it. */
  finishSentence(): void {
    if (this.#isFinishing || this.#isClosed) return;
    this.#isFinishing = true;
    this.#endWithSentence();
  }

  /** Cancels source and synthesis. Idempotent; what was heard can still be read from `output`. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.controller.abort();
    this.#stream?.close();
    this.#resolveReady();
  }

  get #voice(): AgentVoice {
    const voice = this.#options.voices[this.#voiceIndex];
    if (voice === undefined) throw new Error("a speech has at least one voice");
    return voice;
  }

  #audioDeadlineMs(): number {
    const hasFallback = this.#voiceIndex + 1 < this.#options.voices.length;
    if (hasFallback) {
      const { firstMs, nextMs } = AUDIO_TIMEOUTS_BEFORE_FALLBACK;
      return this.#hasAudioOfStream ? nextMs : (this.#voice.tts.patienceMs ?? firstMs);
    }
    const deadlineMs = this.#hasAudioOfStream ? AUDIO_TIMEOUTS.nextMs : AUDIO_TIMEOUTS.firstMs;
    const slowMs = Math.min(MAX_SLOW_VOICE_TIMEOUT_MS, this.#pace.expectedMs * SLOW_VOICE_PATIENCE);
    return Math.max(deadlineMs, slowMs);
  }

  #noticeStandstill(atMs: number): void {
    if (this.#hasProgressed || !this.output.isDry || this.isAwaitingTool) {
      this.#hasProgressed = false;
      this.#progressAtMs = atMs;
    } else if (!this.#isTextComplete && atMs - this.#progressAtMs >= STANDSTILL_TIMEOUT_MS) {
      this.#failText(timeoutError("llm", "nothing", STANDSTILL_TIMEOUT_MS));
      this.#options.controller.abort();
    }
  }

  // ─── text ───

  #play(text: string, recording: Int16Array): void {
    this.#options.onMessage(0);
    this.output.addClause(1, text, 0);
    this.output.push(1, recording);
    this.output.completeClause(1);
    this.#endText();
    this.#resolveReady();
  }

  #sayAll(text: string): void {
    this.#addText(text, 0);
    this.#completeText();
  }

  async #follow(source: AsyncIterable<ReplyPart>): Promise<void> {
    for await (const part of source) {
      if (this.#isClosed || this.#isTextComplete) return;
      this.#take(part);
    }
    this.#completeText();
  }

  /** Whole clauses that are on their way are still said. */
  #failText(cause: unknown): void {
    if (this.#isClosed || this.#isTextComplete || this.#failure !== undefined) return;
    const error = toProviderError(cause, "llm");
    this.#options.onFault("llm", error);
    this.#failure = { type: "failed", part: "llm", error };
    this.#endText();
  }

  #take(part: ReplyPart): void {
    this.#hasProgressed = true;
    switch (part.type) {
      case "text":
        return this.#addText(part.text, part.segment);
      case "toolCall":
        if (part.isAwaited) this.#awaitedTools++;
        this.#speakAll(this.#splitter.flush());
        return this.#options.onTool(part);
      case "toolResult":
        this.#awaitedTools--;
        return this.#options.onTool(part);
      case "wait":
        this.#speakAll(this.#splitter.flush());
        if (!this.output.isOwedAudio) this.#resolveReady();
        return;
      case "retry":
        return this.#options.onFault("llm", part.error);
      case "end":
        this.#endsConversation = part.endsConversation && !this.#isFinishing;
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
    if (this.#isTextComplete) return;
    this.#endText();
  }

  #endText(): void {
    this.#isTextComplete = true;
    if (this.#failure?.part !== "tts") this.#stream?.end();
    this.#noticeComplete();
  }

  #endWithSentence(): void {
    if (!this.output.cutAfterSentence(this.#isTextComplete)) return;
    this.#endsConversation = false;
    if (this.#isTextComplete) return;
    this.#endText();
    this.#options.controller.abort();
  }

  #noticeComplete(): void {
    if (this.#isTextComplete && !this.output.isOwedAudio) this.#resolveReady();
  }

  #speakAll(clauses: readonly string[]): void {
    if (this.#failure?.part === "tts") return;
    for (const clause of clauses) {
      const text = speakableText(clause);
      if (!isSpeakable(text)) continue;
      this.marks.firstClauseMs ??= this.#options.now();
      const id = this.#nextClauseId++;
      this.output.addClause(id, withItsSpace(text, clause), this.#segment);
      if (this.#stream !== undefined) this.#request(this.#stream, id, text);
      if (!this.#isFinishing) continue;
      this.#endWithSentence();
      if (this.#isTextComplete) return;
    }
  }

  // ─── synthesis ───

  #openStream(): TextToSpeechStream {
    const { style } = this.#options;
    const agentVoice = this.#voice;
    this.#attemptsWithVoice++;
    this.#pace.begin();
    this.#hasAudioOfStream = false;
    this.#isPaused = false;
    this.#starvedSinceMs = undefined;
    const stream: TextToSpeechStream = agentVoice.tts.open({
      ...style,
      voice: agentVoice.voice,
      onEvent: (event) => {
        if (!this.#isClosed && this.#stream === stream) this.#receive(event);
      },
    });
    return stream;
  }

  #receive(event: TextToSpeechEvent): void {
    switch (event.type) {
      case "audio":
        this.#hasAudioOfStream = true;
        this.#starvedSinceMs = undefined;
        this.output.push(event.clauseId, event.pcm, event.endsPhrase);
        this.#noticePlayable();
        return this.#regulateFlow();
      case "words":
        return this.output.addWords(event.clauseId, event.words);
      case "clauseEnded":
        this.output.completeClause(event.clauseId);
        this.#pace.noteEnd(event.clauseId, {
          audioMs: this.output.arrivedMs(event.clauseId),
          isKept: event.isKept === true,
          isPaused: this.#isPaused,
        });
        this.#noticePlayable();
        return this.#noticeComplete();
      case "ended":
        this.output.completeAll();
        this.#noticePlayable();
        return this.#noticeComplete();
      case "failed":
        return this.#failSynthesis(event.error);
    }
  }

  #request(stream: TextToSpeechStream, id: number, text: string): void {
    this.#pace.noteRequest(id, text);
    stream.speak(id, text);
  }

  /** Audio can be heard now. */
  #noticePlayable(): void {
    if (this.output.playableMs === 0) return;
    this.marks.firstAudioMs ??= this.#options.now();
    if (this.output.bufferedMs >= (this.#options.leadMs ?? 0)) this.#resolveReady();
  }

  #regulateFlow(): void {
    if (this.output.isOverrun) {
      return this.#failSynthesis(
        this.#providerError("connection", "sends on although it was asked to pause"),
      );
    }
    if (!this.#isPaused && this.output.shouldPause) {
      this.#isPaused = true;
      this.#pace.notePause();
      this.#stream?.pause();
    } else if (this.#isPaused && this.output.mayResume) {
      this.#isPaused = false;
      this.#stream?.resume();
    }
  }

  /** What was not heard yet is spoken by the same voice once more, or by the next one. */
  #failSynthesis(error: ProviderError): void {
    this.#options.onFault("tts", error);
    this.#stream?.close();
    this.#stream = undefined;
    if (!this.#chooseVoice(error)) {
      this.#failure = { type: "failed", part: "tts", error };
      this.output.release();
      this.#options.controller.abort();
      this.#resolveReady();
      return;
    }
    const pending = this.output.takeBack(() => this.#nextClauseId++);
    const stream = this.#openStream();
    this.#stream = stream;
    for (const { id, text } of pending) this.#request(stream, id, text);
    if (this.#isTextComplete) stream.end();
  }

  /** A lost connection may be opened once more; a voice that refuses or stalls is not waited for where there is another. */
  #chooseVoice(error: ProviderError): boolean {
    const isLastVoice = this.#voiceIndex + 1 >= this.#options.voices.length;
    const mayRetry = error.isRetryable && (isLastVoice || error.kind === "connection");
    if (mayRetry && this.#attemptsWithVoice < MAX_ATTEMPTS_WITH_VOICE) return true;
    if (isLastVoice) return false;
    this.#voiceIndex++;
    this.#attemptsWithVoice = 0;
    this.#options.onVoice(this.#voiceIndex);
    return true;
  }

  #providerError(kind: "timeout" | "connection", message: string): ProviderError {
    return new ProviderError({
      provider: this.#voice.tts.name,
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
