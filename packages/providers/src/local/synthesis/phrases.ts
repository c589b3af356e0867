import type { PauseMark, SpokenToken } from "../phonemes/pronounce.ts";

/** Words spoken in one run of a model, with the mark that ends them. */
export interface Phrase {
  tokens: SpokenToken[];
  mark: PauseMark | undefined;
}

/** Silence after each mark. */
const PAUSE_MS: Readonly<Record<PauseMark, number>> = {
  ",": 120,
  ";": 180,
  ":": 180,
  "—": 180,
  "…": 250,
  ".": 250,
  "!": 250,
  "?": 250,
};
/** Silence between phrases split for their length, and after a clause without a mark. */
const UNMARKED_PAUSE_MS = 30;

export function phrasePauseMs(phrase: Phrase): number {
  return phrase.mark === undefined ? UNMARKED_PAUSE_MS : PAUSE_MS[phrase.mark];
}

function phoneCount(tokens: readonly SpokenToken[]): number {
  return tokens.reduce((sum, token) => sum + (token.kind === "word" ? token.phones.length : 0), 0);
}

export interface PhraseLimits {
  /** Minimum length of the first phrase, for which the caller waits. */
  minFirstPhones: number;
  /** Minimum length of later phrases, which a model speaks better if they are longer. */
  minPhones: number;
  maxPhones: number;
}

/**
 * Splits the tokens at marks, so that the first phrase plays while the next is synthesized, and at any point at which a
 * phrase would exceed `maxPhones`.
 */
export function splitPhrases(tokens: readonly SpokenToken[], limits: PhraseLimits): Phrase[] {
  const phrases: Phrase[] = [];
  let current: SpokenToken[] = [];
  const finish = (mark: PauseMark | undefined): void => {
    if (current.some((token) => token.kind === "word")) {
      phrases.push({ tokens: current, mark });
    }
    current = [];
  };
  for (const token of tokens) {
    if (token.kind === "word" && phoneCount([...current, token]) > limits.maxPhones) {
      finish(undefined);
    }
    current.push(token);
    const minPhones = phrases.length === 0 ? limits.minFirstPhones : limits.minPhones;
    if (token.kind === "pause" && phoneCount(current) >= minPhones) {
      finish(token.mark);
    }
  }
  const last = tokens.at(-1);
  finish(last?.kind === "pause" ? last.mark : undefined);
  return phrases;
}
