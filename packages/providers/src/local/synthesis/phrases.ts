import type { PauseMark, SpokenToken } from "../phonemes/pronounce.ts";

/** Words spoken in one run of a model, with the mark that ends them. */
export interface Phrase {
  tokens: SpokenToken[];
  mark: PauseMark | undefined;
}

/** Silence that follows a mark. */
const pauseMs: Readonly<Record<PauseMark, number>> = {
  ",": 120,
  ";": 180,
  ":": 180,
  "—": 180,
  "…": 250,
  ".": 250,
  "!": 250,
  "?": 250,
};
/** Between phrases that were parted for their length, and after a clause without a mark. */
const UNMARKED_PAUSE_MS = 30;

export function phrasePauseMs(phrase: Phrase): number {
  return phrase.mark === undefined ? UNMARKED_PAUSE_MS : pauseMs[phrase.mark];
}

function phoneCount(tokens: readonly SpokenToken[]): number {
  return tokens.reduce((sum, token) => sum + (token.kind === "word" ? token.phones.length : 0), 0);
}

export interface PhraseLimits {
  /** The first phrase may be this short: it is what the caller waits for. */
  minFirstPhones: number;
  /** Later ones are at least this long, as a model speaks longer phrases better. */
  minPhones: number;
  maxPhones: number;
}

/**
 * Parts what is said at its marks, so that the first phrase can be heard while the next is made, and wherever a
 * phrase would grow beyond `maxPhones`.
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
