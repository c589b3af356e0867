import type { ReplyPart } from "../../dialogue/open-reply.ts";
import { timeoutError } from "../../dialogue/deadline.ts";
import { toProviderError } from "../../dialogue/model-error.ts";
import type { ProviderError } from "../../providers/provider-error.ts";
import { ClauseSplitter } from "./clause-splitter.ts";
import { ClauseSynthesis, type ClauseSynthesisOptions } from "./clause-synthesis.ts";
import type { PlayoutBuffer } from "./playout-buffer.ts";
import { isSpeakable, speakableText } from "./speakable-text.ts";

/** Time without any progress after which a speech has failed. Tools have their own deadline. */
const STANDSTILL_TIMEOUT_MS = 30_000;

export interface SynthesisOptions extends ClauseSynthesisOptions {
  /** A fixed text, or a reply as the model writes it. */
  source: string | AsyncIterable<ReplyPart>;
  /** Audio of the fixed text, if it was synthesized before. */
  recording?: Int16Array | undefined;
  /** Audio that must be buffered before the speech is ready; default 0: the first chunk. */
  leadMs?: number;
  /** Cancels the source when the speech is stopped. */
  controller: AbortController;
  onStep: (part: ReplyPart & { type: "toolCall" | "toolResult" | "flow" }) => void;
  onMessage: (segment: number) => void;
  /** `takenOverBy` continues; `undefined` if nothing is left. */
  onFault: (part: "llm" | "tts", error: ProviderError, takenOverBy: string | undefined) => void;
}

/** Times of a speech, on the clock of `now`. */
export interface SpeechMarks {
  firstTextMs?: number;
  firstClauseMs?: number;
  firstAudioMs?: number;
}

/** Time during which a speech waited for its tools, on the clock of `now`. */
interface ToolWait {
  fromMs: number;
  toMs: number;
}

export type SpeechOutcome =
  | { type: "ended"; endsConversation: boolean; hasMore: boolean }
  | { type: "failed"; part: "llm" | "tts"; error: ProviderError };

/** Turns one speech of the agent from text to audio: text in, clauses to synthesis, frames out. */
export class Synthesis {
  readonly marks: SpeechMarks = {};
  /** Resolves when audio can be handed out (`leadMs` or all of it), or when none is to be expected. */
  readonly ready: Promise<void>;
  readonly playout: PlayoutBuffer;
  readonly #options: SynthesisOptions;
  readonly #clauses: ClauseSynthesis;
  readonly #splitter = new ClauseSplitter();
  readonly #resolveReady: () => void;
  #segment = 0;
  #isTextComplete = false;
  /** The speech ends with its current sentence. */
  #isFinishing = false;
  #endsConversation = false;
  #hasMore = false;
  #isClosed = false;
  #awaitedTools = 0;
  readonly #toolWaits: ToolWait[] = [];
  #hasProgressed = true;
  #progressAtMs = 0;
  #failure: (SpeechOutcome & { type: "failed" }) | undefined;

  constructor(options: SynthesisOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#resolveReady = resolve;
    this.#clauses = new ClauseSynthesis(options, {
      onAudio: () => this.#noticePlayable(),
      onClauseEnded: () => {
        this.#noticePlayable();
        this.#noticeComplete();
      },
      onFault: (error, takenOverBy) => options.onFault("tts", error, takenOverBy),
      onFailed: (error) => {
        this.#failure = { type: "failed", part: "tts", error };
        options.controller.abort();
        this.#resolveReady();
      },
    });
    this.playout = this.#clauses.playout;
    const { source, recording } = options;
    if (typeof source === "string" && recording !== undefined) {
      this.#play(source, recording);
      return;
    }
    this.#clauses.open();
    if (typeof source === "string") this.#sayAll(source);
    else this.#follow(source).catch((cause: unknown) => this.#failText(cause));
  }

  /** How the speech ended; `undefined` until all of it was handed out. */
  get outcome(): SpeechOutcome | undefined {
    if (!this.playout.isDry) return undefined;
    if (this.#clauses.hasFailed) return this.#failure;
    if (!this.#isTextComplete || this.playout.isOwedAudio) return undefined;
    return (
      this.#failure ?? { type: "ended", endsConversation: this.#endsConversation, hasMore: this.#hasMore }
    );
  }

  /** Whether the source waits for a tool result. */
  get isAwaitingTool(): boolean {
    return this.#awaitedTools > 0;
  }

  /** Part of a stretch of time in which the source waited for tools. */
  toolMsBetween(fromMs: number, toMs: number): number {
    const overlap = (wait: ToolWait): number =>
      Math.max(0, Math.min(wait.toMs, toMs) - Math.max(wait.fromMs, fromMs));
    return this.#toolWaits.reduce((sum, wait) => sum + overlap(wait), 0);
  }

  /** Called once per tick of the media clock: checks the deadlines of text and synthesis. */
  tick(atMs: number): void {
    if (this.#isClosed || this.#clauses.hasFailed) return;
    this.#noticeStandstill(atMs);
    this.#clauses.tick(atMs);
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
    this.#clauses.close();
    this.#resolveReady();
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

  #play(text: string, recording: Int16Array): void {
    this.#options.onMessage(0);
    this.#clauses.addRecording(text, recording);
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
    this.#options.onFault("llm", error, undefined);
    this.#failure = { type: "failed", part: "llm", error };
    this.#endText();
  }

  #take(part: ReplyPart): void {
    this.#hasProgressed = true;
    switch (part.type) {
      case "text":
        return this.#addText(part.text, part.segment);
      case "toolCall":
        if (part.isAwaited) this.#awaitTool();
        this.#speakAll(this.#splitter.flush());
        return this.#options.onStep(part);
      case "toolResult":
        this.#endToolWait();
        return this.#options.onStep(part);
      case "flow":
        return this.#options.onStep(part);
      case "wait":
        this.#speakAll(this.#splitter.flush());
        if (!this.playout.isOwedAudio) this.#resolveReady();
        return;
      case "retry":
        return this.#options.onFault("llm", part.error, part.takenOverBy);
      case "end":
        this.#endsConversation = part.endsConversation && !this.#isFinishing;
        this.#hasMore = part.hasMore === true;
    }
  }

  #awaitTool(): void {
    this.#awaitedTools++;
    if (this.#awaitedTools === 1) this.#toolWaits.push({ fromMs: this.#options.now(), toMs: Infinity });
  }

  #endToolWait(): void {
    // The result may be that of an earlier reply's call.
    if (this.#awaitedTools === 0) return;
    this.#awaitedTools--;
    const wait = this.#toolWaits.at(-1);
    if (this.#awaitedTools === 0 && wait !== undefined) wait.toMs = this.#options.now();
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
    this.#clauses.end();
    this.#noticeComplete();
  }

  #endWithSentence(): void {
    if (!this.playout.cutAfterSentence(this.#isTextComplete)) return;
    this.#endsConversation = false;
    if (this.#isTextComplete) return;
    this.#endText();
    this.#options.controller.abort();
  }

  #speakAll(clauses: readonly string[]): void {
    if (this.#clauses.hasFailed) return;
    for (const clause of clauses) {
      const text = speakableText(clause);
      if (!isSpeakable(text)) continue;
      this.marks.firstClauseMs ??= this.#options.now();
      this.#clauses.speak(text, withItsSpace(text, clause), this.#segment);
      if (!this.#isFinishing) continue;
      this.#endWithSentence();
      if (this.#isTextComplete) return;
    }
  }

  /** Notes that audio can be heard. */
  #noticePlayable(): void {
    if (this.playout.playableMs === 0) return;
    this.marks.firstAudioMs ??= this.#options.now();
    if (this.playout.bufferedMs >= (this.#options.leadMs ?? 0)) this.#resolveReady();
  }

  #noticeComplete(): void {
    if (this.#isTextComplete && !this.playout.isOwedAudio) this.#resolveReady();
  }
}

/** Keeps the trailing space of a clause, because the transcript joins clauses. */
function withItsSpace(spoken: string, written: string): string {
  return /\s$/.test(written) ? `${spoken} ` : spoken;
}
