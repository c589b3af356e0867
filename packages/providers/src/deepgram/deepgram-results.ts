import type { HeardText } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";

/** One recognized word; times in seconds of the audio sent on this connection. */
export interface DeepgramWord {
  text: string;
  startS: number;
  endS: number;
  /** 0–1; `undefined` if not reported. */
  confidence: number | undefined;
}

/** A `Results` message of the streaming API. */
export interface DeepgramResults {
  words: DeepgramWord[];
  isFinal: boolean;
  isFromFinalize: boolean;
}

/** Reads a `Results` message; returns `undefined` for any other or malformed message. */
export function readResults(message: Record<string, unknown>): DeepgramResults | undefined {
  if (message["type"] !== "Results" || !isObject(message["channel"])) return undefined;
  const { alternatives } = message["channel"];
  const best: unknown = Array.isArray(alternatives) ? alternatives[0] : undefined;
  if (!isObject(best) || typeof best["transcript"] !== "string") return undefined;
  const startS = Number(message["start"]) || 0;
  const endS = startS + (Number(message["duration"]) || 0);
  return {
    words: readWords(best["words"]) ?? wholeTranscript(best, startS, endS),
    isFinal: message["is_final"] === true,
    isFromFinalize: message["from_finalize"] === true,
  };
}

function readWords(words: unknown): DeepgramWord[] | undefined {
  if (!Array.isArray(words) || words.length === 0) return undefined;
  return words.filter(isObject).map((word) => ({
    text: String(word["punctuated_word"] ?? word["word"]),
    startS: Number(word["start"]) || 0,
    endS: Number(word["end"]) || 0,
    confidence: readConfidence(word),
  }));
}

/** The transcript as one word over the whole result, for results whose words have no times. */
function wholeTranscript(best: Record<string, unknown>, startS: number, endS: number): DeepgramWord[] {
  const text = String(best["transcript"]);
  return text === "" ? [] : [{ text, startS, endS, confidence: readConfidence(best) }];
}

function readConfidence({ confidence }: Record<string, unknown>): number | undefined {
  return typeof confidence === "number" && confidence >= 0 && confidence <= 1 ? confidence : undefined;
}

/**
 * The text of the current utterance, from the final results and the latest interim result after them. Results do not
 * refer to utterances; the times of their words assign them.
 */
export class UtteranceTranscript {
  #finals: DeepgramWord[] = [];
  #interim: DeepgramWord[] = [];
  #startS = 0;

  start(startS: number): void {
    this.#startS = startS;
    this.#finals = this.#finals.filter((word) => this.#isWithin(word));
    this.#interim = this.#interim.filter((word) => this.#isWithin(word));
  }

  clear(): void {
    this.#finals = [];
    this.#interim = [];
  }

  /** Prepares for a new connection, whose times start from zero: earlier words stay before all later ones. */
  rebase(): void {
    this.#finals = this.#finals.map((word) => ({ ...word, startS: 0, endS: 0 }));
    this.#interim = [];
    this.#startS = 0;
  }

  add(results: DeepgramResults): void {
    const words = results.words.filter((word) => this.#isWithin(word));
    if (!results.isFinal) {
      this.#interim = words;
      return;
    }
    this.#finals.push(...words);
    // Speech before an utterance is marked may belong to it; speech that is never marked must not accumulate.
    if (this.#finals.length > MAX_WORDS) this.#finals = this.#finals.slice(-MAX_WORDS);
    this.#interim = [];
  }

  get text(): string {
    return this.#words.map((word) => word.text).join(" ");
  }

  /** The text, with Deepgram's confidence if it was reported for every word. */
  get heard(): HeardText {
    const words = this.#words;
    const confidences = words.flatMap(({ confidence }) => confidence ?? []);
    const [last, probability] = [words.at(-1), confidences.at(-1)];
    const { text } = this;
    if (last === undefined || probability === undefined || confidences.length < words.length) return { text };
    const logSum = confidences.reduce((sum, confidence) => sum + Math.log(Math.max(confidence, 1e-6)), 0);
    const lastWord = [{ text: /[^\s]+$/.exec(last.text.replace(/[.,;:?!]+$/, ""))?.[0] ?? "", probability }];
    return { text, certainty: { confidence: Math.exp(logSum / confidences.length), lastWord } };
  }

  get #words(): DeepgramWord[] {
    return [...this.#finals, ...this.#interim];
  }

  #isWithin(word: DeepgramWord): boolean {
    return word.endS >= this.#startS;
  }
}

const MAX_WORDS = 2_000;
