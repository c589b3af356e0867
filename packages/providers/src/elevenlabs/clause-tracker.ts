import type { TextToSpeechEvent, WordTiming } from "@parley/conversation";
import { decodePcm, type ReplyTracker } from "../contexts/context-speech-stream.ts";
import { isObject } from "../http/is-object.ts";

/** The characters of an audio chunk with their times from the chunk's start. */
export interface Alignment {
  chars: readonly string[];
  startTimesMs: readonly number[];
  durationsMs: readonly number[];
}

interface Clause {
  clauseId: number;
  /** Characters not spoken yet, without white space, which is all that the vendor changes. */
  charactersLeft: number;
  /** Audio of this clause before the current chunk. */
  audioMs: number;
  /** A word that began in an earlier chunk. */
  openWord: WordTiming | undefined;
}

/**
 * Assigns audio to clauses. A context is one stream of audio without marks between clauses; the alignment tells which
 * characters each chunk speaks, and so where a clause ends and the next begins.
 */
export class ClauseTracker implements ReplyTracker {
  readonly #samplesPerMs: number;
  readonly #clauses: Clause[] = [];
  #lastClauseId = 0;

  constructor(sampleRateHz: number) {
    this.#samplesPerMs = sampleRateHz / 1000;
  }

  /** Whether a clause has not been spoken to its end. */
  get isWaiting(): boolean {
    return this.#clauses.length > 0;
  }

  add(clauseId: number, text: string): void {
    const charactersLeft = text.replaceAll(/\s/g, "").length;
    this.#clauses.push({ clauseId, charactersLeft, audioMs: 0, openWord: undefined });
  }

  read(message: Record<string, unknown>): TextToSpeechEvent[] {
    const { audio, alignment } = message;
    if (typeof audio !== "string" || audio === "") return [];
    return this.take(decodePcm(audio), readAlignment(alignment));
  }

  /** The events for a chunk. Without an alignment it belongs to the current clause. */
  take(pcm: Int16Array, alignment: Alignment | undefined): TextToSpeechEvent[] {
    const events: TextToSpeechEvent[] = [];
    let fromMs = 0;
    let words: WordTiming[] = [];
    const cut = (clause: Clause, untilMs: number): void => {
      const part = pcm.subarray(fromMs * this.#samplesPerMs, untilMs * this.#samplesPerMs);
      if (part.length > 0) events.push({ type: "audio", clauseId: clause.clauseId, pcm: part });
      if (words.length > 0) events.push({ type: "words", clauseId: clause.clauseId, words });
      words = [];
      clause.audioMs += untilMs - fromMs;
      fromMs = untilMs;
    };
    for (const [index, char] of (alignment?.chars ?? []).entries()) {
      const clause = this.#clauses[0];
      if (clause === undefined) break;
      const startMs = alignment?.startTimesMs[index] ?? 0;
      if (clause.charactersLeft <= 0 && char.trim() !== "") {
        cut(clause, startMs);
        events.push(this.#endFirst());
      }
      this.#takeCharacter(char, startMs - fromMs, alignment?.durationsMs[index] ?? 0, words);
    }
    const wholeMs = pcm.length / this.#samplesPerMs;
    const clause = this.#clauses[0];
    if (clause === undefined) {
      // Audio after the last character, e.g. breath at the end.
      if (wholeMs > fromMs)
        events.push({
          type: "audio",
          clauseId: this.#lastClauseId,
          pcm: pcm.subarray(fromMs * this.#samplesPerMs),
        });
      return events;
    }
    cut(clause, wholeMs);
    if (clause.charactersLeft <= 0) events.push(this.#endFirst());
    return events;
  }

  /** Ends the remaining clauses, because no audio follows. */
  finish(): TextToSpeechEvent[] {
    return this.#clauses.splice(0).map(({ clauseId }) => ({ type: "clauseEnded", clauseId }));
  }

  #endFirst(): TextToSpeechEvent {
    this.#lastClauseId = this.#clauses.shift()?.clauseId ?? this.#lastClauseId;
    return { type: "clauseEnded", clauseId: this.#lastClauseId };
  }

  /** `startMs` counts from the clause's first sample in this chunk. */
  #takeCharacter(char: string, startMs: number, durationMs: number, words: WordTiming[]): void {
    const clause = this.#clauses[0];
    if (clause === undefined) return;
    const isSpace = char.trim() === "";
    if (!isSpace) {
      const atMs = clause.audioMs + startMs;
      const word = clause.openWord ?? { text: "", startMs: atMs, endMs: atMs };
      clause.openWord = { text: word.text + char, startMs: word.startMs, endMs: atMs + durationMs };
      clause.charactersLeft -= char.length;
    }
    if (clause.openWord !== undefined && (isSpace || clause.charactersLeft <= 0)) {
      words.push(clause.openWord);
      clause.openWord = undefined;
    }
  }
}

function readAlignment(value: unknown): Alignment | undefined {
  if (!isObject(value)) return undefined;
  const { chars, charStartTimesMs, charDurationsMs } = value;
  if (!Array.isArray(chars) || !Array.isArray(charStartTimesMs) || !Array.isArray(charDurationsMs))
    return undefined;
  if (charStartTimesMs.length !== chars.length || charDurationsMs.length !== chars.length) return undefined;
  return {
    chars: chars.map(String),
    startTimesMs: charStartTimesMs.map(Number),
    durationsMs: charDurationsMs.map(Number),
  };
}
