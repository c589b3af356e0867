import type { SampleRateHz } from "../../providers/speech-to-text.ts";
import type { WordTiming } from "../../providers/text-to-speech.ts";
import { ChunkQueue } from "./chunk-queue.ts";
import { heardText } from "./heard-text.ts";
import { isSpeakable } from "./speakable-text.ts";
import type { SynthesisPace } from "./synthesis-pace.ts";

/** Audio buffered ahead of playout. Above it the provider is paused, below half of it resumed. */
const MAX_BUFFERED_MS = 10_000;
/** Audio beyond that from a provider that ignores the pause, before it counts as failed. */
const MAX_OVERRUN_MS = 50_000;
const FRAME_MS = 20;
/** Duration of the fade that avoids a click when audio is cut off. */
const FADE_MS = 5;
/** Playout state of a clause that is synthesized again. */
const UNPLAYED = { phraseSamples: 0, isReleased: false, hasRunDry: false };

/** End of a sentence, with closing quotes and brackets and the space after it, as clauses are split. */
const SENTENCE_END = /[.!?…。！？｡]["'”’»)\]」』）*_]*\s*$/u;

interface Clause {
  id: number;
  text: string;
  /** Transcript message that the clause belongs to. */
  readonly segment: number;
  arrivedSamples: number;
  playedSamples: number;
  isComplete: boolean;
  words: readonly WordTiming[];
  /** Audio up to the last point at which a pause sounds natural. */
  phraseSamples: number;
  /** The clause may be played as it arrives, because the rest will be there in time. */
  isReleased: boolean;
  /** The clause was released and ran dry: from then on only whole phrases of it are played. */
  hasRunDry: boolean;
}

/** A clause to synthesize. */
export interface PendingClause {
  id: number;
  text: string;
}

/** Heard part of one message of a speech. */
export interface HeardSegment {
  segment: number;
  text: string;
  isWhole: boolean;
}

/**
 * The audio of one speech between synthesis and transport. Clauses play in order, in frames of 20 ms, and the buffer
 * records what was heard of them. A clause begins when it can be played to the end of a phrase without running dry, so
 * that a slow voice pauses between phrases and never within one.
 */
export class PlayoutBuffer {
  readonly #samplesPerMs: number;
  readonly #frame: Int16Array;
  readonly #clauses: Clause[] = [];
  readonly #queue = new ChunkQueue<Clause>();
  #isFading = false;
  #isReleased = false;
  readonly #pace: Pick<SynthesisPace, "willSuffice"> | undefined;
  /** The text was meant to continue after the announced clauses. */
  #isCutShort = false;

  /** @param pace Decides when a clause may begin. Without it audio is handed out as it arrives. */
  constructor(sampleRateHz: SampleRateHz, pace?: Pick<SynthesisPace, "willSuffice">) {
    this.#pace = pace;
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#frame = new Int16Array(FRAME_MS * this.#samplesPerMs);
  }

  /** Announces a clause, whose audio follows that of the earlier clauses. Ids increase. */
  addClause(id: number, text: string, segment: number): void {
    this.#clauses.push({
      id,
      text,
      segment,
      arrivedSamples: 0,
      playedSamples: 0,
      isComplete: false,
      words: [],
      ...UNPLAYED,
    });
  }

  /** @param endsPhrase Whether a pause after this audio sounds natural. */
  push(clauseId: number, pcm: Int16Array, endsPhrase = false): void {
    const clause = this.#find(clauseId);
    if (clause === undefined || clause.isComplete || this.#isFading || pcm.length === 0) return;
    clause.arrivedSamples += pcm.length;
    this.#queue.push(clause, pcm);
    if (endsPhrase) clause.phraseSamples = clause.arrivedSamples;
    if (clause.isReleased) return;
    const { text, arrivedSamples, playedSamples, hasRunDry } = clause;
    const arrivedMs = arrivedSamples / this.#samplesPerMs;
    const bufferedMs = (arrivedSamples - playedSamples) / this.#samplesPerMs;
    clause.isReleased = this.#pace?.willSuffice({ text, arrivedMs, bufferedMs, hasRunDry }) ?? true;
  }

  addWords(clauseId: number, words: readonly WordTiming[]): void {
    const clause = this.#find(clauseId);
    if (clause !== undefined) clause.words = [...clause.words, ...words];
  }

  completeClause(clauseId: number): void {
    const clause = this.#find(clauseId);
    if (clause !== undefined) clause.isComplete = true;
  }

  completeAll(): void {
    for (const clause of this.#clauses) clause.isComplete = true;
  }

  /** Hands out everything buffered, even words cut off: no more audio is expected. */
  release(): void {
    this.#isReleased = true;
  }

  /** Duration of a clause's audio received so far. */
  arrivedMs(clauseId: number): number {
    return (this.#find(clauseId)?.arrivedSamples ?? 0) / this.#samplesPerMs;
  }

  /** Duration of the audio that can be handed out now. */
  get playableMs(): number {
    return this.#playableSamples() / this.#samplesPerMs;
  }

  /**
   * Takes back what a failed synthesis left open: clauses not played yet, and the words missing from the clause that is
   * playing. They stay announced under new ids, for another voice.
   */
  takeBack(newId: () => number): PendingClause[] {
    const pending: PendingClause[] = [];
    for (const clause of this.#clauses.filter(({ isComplete }) => !isComplete)) {
      const rest = clause.playedSamples === 0 ? clause : this.#breakOff(clause);
      if (rest === undefined) continue;
      this.#queue.trim(rest, 0);
      rest.id = newId();
      rest.arrivedSamples = 0;
      rest.words = [];
      Object.assign(rest, UNPLAYED);
      pending.push({ id: rest.id, text: rest.text.trim() });
    }
    return pending;
  }

  /**
   * Drops everything after the current sentence, which then counts as cut short. Returns false while the end of that
   * sentence is unknown because more text may follow.
   */
  cutAfterSentence(isTextComplete: boolean): boolean {
    const begun = this.#clauses.findLastIndex(({ playedSamples }) => playedSamples > 0);
    const end = this.#clauses.findIndex((_clause, index) => index >= begun && this.#endsSentence(index));
    if (end < 0) return isTextComplete;
    const dropped = this.#clauses.splice(end + 1);
    this.#isCutShort ||= dropped.length > 0 || !isTextComplete;
    for (const clause of dropped) this.#queue.trim(clause, 0);
    return true;
  }

  /** Whether nothing is buffered. */
  get isDry(): boolean {
    return this.#queue.samples === 0;
  }

  /** Whether synthesis still owes audio for an announced clause. */
  get isOwedAudio(): boolean {
    return this.#clauses.some((clause) => !clause.isComplete);
  }

  get bufferedMs(): number {
    return this.#queue.samples / this.#samplesPerMs;
  }

  get shouldPause(): boolean {
    return this.#queue.samples > MAX_BUFFERED_MS * this.#samplesPerMs;
  }

  get mayResume(): boolean {
    return this.#queue.samples < (MAX_BUFFERED_MS / 2) * this.#samplesPerMs;
  }

  get isOverrun(): boolean {
    return this.#queue.samples > (MAX_BUFFERED_MS + MAX_OVERRUN_MS) * this.#samplesPerMs;
  }

  /** Segment of the next frame. */
  get playingSegment(): number | undefined {
    return this.#queue.nextClause?.segment;
  }

  /** The text of a segment, as far as announced. */
  segmentText(segment: number): string {
    const clauses = this.#clauses.filter((clause) => clause.segment === segment);
    return clauses
      .map(({ text }) => text)
      .join("")
      .trim();
  }

  /**
   * The next 20 ms, valid until the next call; `undefined` if there is not enough audio. The end of a clause is padded
   * with silence if no clause follows yet.
   */
  nextFrame(): Int16Array | undefined {
    if (this.#queue.samples === 0) {
      this.#noticeDry();
      return undefined;
    }
    const playable = this.#playableSamples();
    const isClauseEnd = playable > 0 && this.#queue.nextClause?.isComplete === true;
    if (playable < this.#frame.length && !isClauseEnd && !this.#isReleased) {
      this.#noticeDry();
      return undefined;
    }
    const filled = this.#queue.read(this.#frame.subarray(0, playable));
    this.#frame.fill(0, filled);
    return this.#frame;
  }

  /** Cuts the speech off: returns a last frame that fades to silence, and drops the rest unheard. */
  fadeOut(): Int16Array | undefined {
    if (this.#isFading || this.#queue.samples === 0) return undefined;
    this.#isFading = true;
    const fadeSamples = FADE_MS * this.#samplesPerMs;
    const filled = this.#queue.read(this.#frame.subarray(0, fadeSamples));
    for (let i = 0; i < filled; i++) this.#frame[i] = ((this.#frame[i] ?? 0) * (filled - i)) / (filled + 1);
    this.#frame.fill(0, filled);
    this.#queue.clear();
    return this.#frame;
  }

  /** Marks the last `durationMs` handed out as unheard. */
  unplay(durationMs: number): void {
    let samples = Math.round(durationMs * this.#samplesPerMs);
    for (const clause of this.#clauses.toReversed()) {
      const taken = Math.min(samples, clause.playedSamples);
      clause.playedSamples -= taken;
      samples -= taken;
    }
    this.#isCutShort = true;
  }

  /** Heard parts so far, by segment. */
  heard(): HeardSegment[] {
    const segments: HeardSegment[] = [];
    for (const clause of this.#clauses) {
      const text = heardText({
        text: clause.text,
        playedMs: clause.playedSamples / this.#samplesPerMs,
        arrivedMs: clause.arrivedSamples / this.#samplesPerMs,
        isComplete: clause.isComplete,
        words: clause.words,
      });
      const isWhole = text === clause.text;
      const last = segments.at(-1);
      if (last?.segment !== clause.segment) segments.push({ segment: clause.segment, text, isWhole });
      else {
        last.text += text;
        last.isWhole &&= isWhole;
      }
    }
    const last = segments.at(-1);
    if (last !== undefined) last.isWhole &&= !this.#isCutShort;
    return segments;
  }

  /** Ends a clause with the last word that its audio contains, and returns a clause with the words after it. */
  #breakOff(clause: Clause): Clause | undefined {
    const { text, words, playedSamples } = clause;
    const arrivedMs = clause.arrivedSamples / this.#samplesPerMs;
    const said = heardText({ text, playedMs: arrivedMs, arrivedMs, isComplete: false, words });
    const saidUntilMs = words.findLast(({ endMs }) => endMs <= arrivedMs)?.endMs;
    if (saidUntilMs !== undefined) {
      const keptSamples = Math.max(playedSamples, Math.ceil(saidUntilMs * this.#samplesPerMs));
      this.#queue.trim(clause, keptSamples - playedSamples);
      clause.arrivedSamples = Math.min(clause.arrivedSamples, keptSamples);
    }
    clause.isComplete = true;
    const rest = text.slice(said.length);
    if (!isSpeakable(rest)) return undefined;
    clause.text = said;
    const restClause = {
      ...clause,
      ...UNPLAYED,
      text: rest,
      arrivedSamples: 0,
      playedSamples: 0,
      isComplete: false,
    };
    this.#clauses.splice(this.#clauses.indexOf(clause) + 1, 0, restClause);
    return restClause;
  }

  #playableSamples(): number {
    if (this.#isReleased) return this.#queue.samples;
    let samples = 0;
    for (const { arrivedSamples, playedSamples, phraseSamples, isComplete, isReleased } of this.#clauses) {
      const held = arrivedSamples - playedSamples;
      if (!isComplete && !isReleased) return samples + Math.max(0, phraseSamples - playedSamples);
      samples += held;
      if (!isComplete) return samples;
    }
    return samples;
  }

  /** Restricts a clause that ran dry to whole phrases. */
  #noticeDry(): void {
    const clause = this.#clauses.find(({ isComplete }) => !isComplete);
    if (clause?.isReleased !== true || clause.playedSamples === 0) return;
    clause.isReleased = false;
    clause.hasRunDry = true;
  }

  #endsSentence(index: number): boolean {
    const clause = this.#clauses[index];
    const next = this.#clauses[index + 1];
    if (clause === undefined) return false;
    return SENTENCE_END.test(clause.text) || (next !== undefined && next.segment !== clause.segment);
  }

  #find(clauseId: number): Clause | undefined {
    return this.#clauses.findLast((clause) => clause.id === clauseId);
  }
}
