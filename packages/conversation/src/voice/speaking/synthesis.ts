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

/** Maximum wait for audio: before the first of it and between two chunks. */
interface AudioTimeouts {
  firstMs: number;
  nextMs: number;
}

/** Timeouts if another voice can take over. */
const AUDIO_TIMEOUTS_BEFORE_FALLBACK: AudioTimeouts = { firstMs: 1200, nextMs: 800 };
const AUDIO_TIMEOUTS: AudioTimeouts = { firstMs: 4000, nextMs: 3000 };
/** Factor on the expected synthesis time of a slow voice that has no replacement. */
const SLOW_VOICE_PATIENCE = 2;
/** Upper limit of that wait. */
const MAX_SLOW_VOICE_TIMEOUT_MS = 15_000;
/** Time without any progress after which a speech has failed. Tools have their own deadline. */
const STANDSTILL_TIMEOUT_MS = 30_000;

const MAX_ATTEMPTS_WITH_VOICE = 2;

/** A provider with the name of one of its voices. */
export interface AgentVoice {
  tts: TextToSpeech;
  voice: string;
}

export type SpeechStyle = Omit<TextToSpeechOptions, "onEvent" | "voice">;

export interface SynthesisOptions {
  /** In order of preference; not empty. */
  voices: readonly AgentVoice[];
  style: SpeechStyle;
  /** A fixed text, or a reply as the model writes it. */
  source: string | AsyncIterable<ReplyPart>;
  /** Audio of the fixed text, if it was synthesized before. */
  recording?: Int16Array | undefined;
  /** Audio that must be buffered before the speech is ready; default 0: the first chunk. */
  leadMs?: number;
  /** Cancels the source when the speech is stopped. */
  controller: AbortController;
  /** Monotonic milliseconds, for latency marks and voice speeds. */
  now: () => number;
  /** Voice speeds; measured and used here. */
  speeds: VoiceSpeeds;
  onTool: (part: ReplyPart & { type: "toolCall" | "toolResult" }) => void;
  onMessage: (segment: number) => void;
  onFault: (part: "llm" | "tts", error: ProviderError) => void;
  /** The voice at this index speaks from now on. */
  onVoice: (index: number) => void;
}

/** Times of a speech, on the clock of `now`. */
export interface SpeechMarks {
  firstTextMs?: number;
  firstClauseMs?: number;
  firstAudioMs?: number;
}

export type SpeechOutcome =
  | { type: "ended"; endsConversation: boolean }
  | { type: "failed"; part: "llm" | "tts"; error: ProviderError };

/**
 * Turns one speech of the agent from text to audio: text in, clauses to synthesis, frames out. Owns its synthesis
 * stream.
 */
export class Synthesis {
  readonly playout: PlayoutBuffer;
  readonly marks: SpeechMarks = {};
  /** Resolves when audio can be handed out (`leadMs` or all of it), or when none is to be expected. */
  readonly ready: Promise<void>;
  readonly #options: SynthesisOptions;
  readonly #splitter = new ClauseSplitter();
  readonly #pace: SynthesisPace;
  readonly #resolveReady: () => void;
  /** `undefined` before the first clause of a recording, and when nothing more is synthesized. */
  #stream: TextToSpeechStream | undefined;
  #nextClauseId = 1;
  #segment = 0;
  #isTextComplete = false;
  /** The speech ends with its current sentence. */
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
  /** Media time since which audio that should be playing is missing. */
  #starvedSinceMs: number | undefined;

  constructor(options: SynthesisOptions) {
    this.#options = options;
    const { speeds, style, now } = options;
    this.#pace = new SynthesisPace({ speeds, speed: style.speed, voice: () => this.#voice, now });
    this.playout = new PlayoutBuffer(style.sampleRateHz, this.#pace);
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

  /** How the speech ended; `undefined` until all of it was handed out. */
  get outcome(): SpeechOutcome | undefined {
    if (!this.playout.isDry) return undefined;
    if (this.#failure?.part === "tts") return this.#failure;
    if (!this.#isTextComplete || this.playout.isOwedAudio) return undefined;
    return this.#failure ?? { type: "ended", endsConversation: this.#endsConversation };
  }

  /** Whether the source waits for a tool result. */
  get isAwaitingTool(): boolean {
    return this.#awaitedTools > 0;
  }

  /** Called once per tick of the media clock: checks the deadlines of synthesis and regulates its flow. */
  tick(atMs: number): void {
    if (this.#isClosed || this.#failure?.part === "tts") return;
    this.#noticeStandstill(atMs);
    this.#regulateFlow();
    if (this.playout.playableMs > 0 || !this.playout.isOwedAudio) {
      this.#starvedSinceMs = undefined;
      return;
    }
    this.#starvedSinceMs ??= atMs;
    const deadlineMs = this.#audioDeadlineMs();
    // A faster voice would already be playing the buffered audio.
    if (atMs - this.#starvedSinceMs < deadlineMs + this.playout.bufferedMs) return;
    this.#failSynthesis(this.#providerError("timeout", `no audio within ${deadlineMs} ms`));
  }

  /** Drops everything after the current sentence as soon as its end is known. The conversation continues afterwards. */
  finishSentence(): void {
    if (this.#isFinishing || this.#isClosed) return;
    this.#isFinishing = true;
    this.#endWithSentence();
  }

  /** Cancels source and synthesis. Idempotent. `playout` still reports what was heard. */
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
      const { audioTimeoutMs } = this.#voice.tts;
      if (!this.#hasAudioOfStream) return audioTimeoutMs ?? firstMs;
      return Math.max(nextMs, Math.min(audioTimeoutMs ?? 0, this.#pace.expectedMs));
    }
    const deadlineMs = this.#hasAudioOfStream ? AUDIO_TIMEOUTS.nextMs : AUDIO_TIMEOUTS.firstMs;
    const slowMs = Math.min(MAX_SLOW_VOICE_TIMEOUT_MS, this.#pace.expectedMs * SLOW_VOICE_PATIENCE);
    return Math.max(deadlineMs, slowMs);
  }

  #noticeStandstill(atMs: number): void {
    if (this.#hasProgressed || !this.playout.isDry || this.isAwaitingTool) {
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
    this.playout.addClause(1, text, 0);
    this.playout.push(1, recording);
    this.playout.completeClause(1);
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

  /** Ends the text after an error. Clauses already requested are still spoken. */
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
        if (!this.playout.isOwedAudio) this.#resolveReady();
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
    if (!this.playout.cutAfterSentence(this.#isTextComplete)) return;
    this.#endsConversation = false;
    if (this.#isTextComplete) return;
    this.#endText();
    this.#options.controller.abort();
  }

  #noticeComplete(): void {
    if (this.#isTextComplete && !this.playout.isOwedAudio) this.#resolveReady();
  }

  #speakAll(clauses: readonly string[]): void {
    if (this.#failure?.part === "tts") return;
    for (const clause of clauses) {
      const text = speakableText(clause);
      if (!isSpeakable(text)) continue;
      this.marks.firstClauseMs ??= this.#options.now();
      const id = this.#nextClauseId++;
      this.playout.addClause(id, withItsSpace(text, clause), this.#segment);
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
        this.playout.push(event.clauseId, event.pcm, event.endsPhrase);
        this.#pace.noteAudio(this.playout.arrivedMs(event.clauseId));
        this.#noticePlayable();
        return this.#regulateFlow();
      case "words":
        return this.playout.addWords(event.clauseId, event.words);
      case "clauseEnded":
        this.playout.completeClause(event.clauseId);
        this.#pace.noteEnd(event.clauseId, {
          audioMs: this.playout.arrivedMs(event.clauseId),
          isCached: event.isCached === true,
          isPaused: this.#isPaused,
        });
        this.#noticePlayable();
        return this.#noticeComplete();
      case "ended":
        this.playout.completeAll();
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

  /** Notes that audio can be heard. */
  #noticePlayable(): void {
    if (this.playout.playableMs === 0) return;
    this.marks.firstAudioMs ??= this.#options.now();
    if (this.playout.bufferedMs >= (this.#options.leadMs ?? 0)) this.#resolveReady();
  }

  #regulateFlow(): void {
    if (this.playout.isOverrun) {
      return this.#failSynthesis(
        this.#providerError("connection", "sends on although it was asked to pause"),
      );
    }
    if (!this.#isPaused && this.playout.shouldPause) {
      this.#isPaused = true;
      this.#pace.notePause();
      this.#stream?.pause();
    } else if (this.#isPaused && this.playout.mayResume) {
      this.#isPaused = false;
      this.#stream?.resume();
    }
  }

  /** Retries everything unheard, with the same voice or with the next one. */
  #failSynthesis(error: ProviderError): void {
    this.#options.onFault("tts", error);
    this.#stream?.close();
    this.#stream = undefined;
    if (!this.#chooseVoice(error)) {
      this.#failure = { type: "failed", part: "tts", error };
      this.playout.release();
      this.#options.controller.abort();
      this.#resolveReady();
      return;
    }
    const pending = this.playout.takeBack(() => this.#nextClauseId++);
    const stream = this.#openStream();
    this.#stream = stream;
    for (const { id, text } of pending) this.#request(stream, id, text);
    if (this.#isTextComplete) stream.end();
  }

  /**
   * Selects the voice for a retry; returns false if none is left. A lost connection is reopened once. A voice that
   * refuses or stalls is replaced at once if there is another.
   */
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

/** Keeps the trailing space of a clause, because the transcript joins clauses. */
function withItsSpace(spoken: string, written: string): string {
  return /\s$/.test(written) ? `${spoken} ` : spoken;
}
