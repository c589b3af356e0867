import type { HeardText } from "../../providers/speech-to-text.ts";
import {
  classifyEnding,
  isOpenEnding,
  openEndingProbability,
  type SaidContext,
  type TurnEnding,
  splitWords,
} from "./turn-words.ts";

/** How sure the turn-end model is that the caller has finished; `unheard` if no model has judged. */
type Certainty = "sure" | "unsure" | "doubtful" | "unheard";

const SURE_PROBABILITY = 0.9;
const DOUBTFUL_PROBABILITY = 0.5;

/** Minimum silence that ends a turn. */
export const MIN_SILENCE_MS = 200;

/**
 * Silence that ends a turn with the given ending when nothing is known about the caller. Tuned on the training part of
 * `bench turns`. An answer becomes audible about 650 ms after the caller's last word at the earliest, so a caller who
 * continues before that loses nothing.
 */
const SILENCE_AFTER_MS: Readonly<Record<TurnEnding, Readonly<Record<Certainty, number>>>> = {
  answer: { sure: MIN_SILENCE_MS, unsure: 220, doubtful: 500, unheard: 240 },
  // A question that does not sound finished is no stronger evidence than a statement.
  question: { sure: MIN_SILENCE_MS, unsure: 950, doubtful: 1100, unheard: 280 },
  closed: { sure: MIN_SILENCE_MS, unsure: 300, doubtful: 600, unheard: 280 },
  statement: { sure: MIN_SILENCE_MS, unsure: 950, doubtful: 1100, unheard: 680 },
  unknown: { sure: 320, unsure: 700, doubtful: 1100, unheard: 650 },
  fragment: { sure: 500, unsure: 850, doubtful: 1100, unheard: 850 },
  wholeNumber: { sure: 950, unsure: 1000, doubtful: 1100, unheard: 900 },
  number: { sure: 1150, unsure: 1150, doubtful: 1300, unheard: 1150 },
  trailing: { sure: 800, unsure: 1450, doubtful: 1650, unheard: 1450 },
  unfinished: { sure: 1450, unsure: 1650, doubtful: 1650, unheard: 1650 },
};
/** Probability of an open ending from which the turn counts as unfinished, even if the written text is complete. */
const OPEN_SHARE = 0.5;
/** Probability of an open ending from which the turn may be unfinished. */
const DOUBTFUL_OPEN_SHARE = 0.1;
/** Silence after a text whose probability of an open ending is at least `DOUBTFUL_OPEN_SHARE`. */
const SILENCE_IF_OPEN_MS: Readonly<Record<Certainty, number>> = {
  sure: 1200,
  unsure: 1300,
  doubtful: 1450,
  unheard: 1200,
};
/** Recognizer probability below which the last written word counts as misheard. */
const DOUBTFUL_WORD_PROBABILITY = 0.2;
/** Silence after a misheard last word. */
const SILENCE_IF_MISHEARD_MS: Readonly<Record<Certainty, number>> = {
  sure: 700,
  unsure: 900,
  doubtful: 1100,
  unheard: 800,
};
/** Factor on the caller's typical pause: a pause longer than that is unusual for this caller. */
const PAUSE_MARGIN = 1.25;
/** Upper limit of the extra silence for a caller who pauses long. */
const MAX_RHYTHM_SILENCE_MS = 1400;
/** Shorter pauses are part of fluent speech and are ignored. */
const MIN_PAUSE_MS = 250;
/** Weight of the newest pause. */
const NEWEST_SHARE = 0.5;

/** How long the caller pauses within a turn, learned during the call. */
export interface CallerRhythm {
  /** Typical pause, weighted toward longer ones; 0 before the first. */
  readonly pauseMs: number;
}

export const UNKNOWN_RHYTHM: CallerRhythm = { pauseMs: 0 };

/** Adds a pause of `pauseMs` after which the caller continued. */
export function withPause(rhythm: CallerRhythm, pauseMs: number): CallerRhythm {
  if (pauseMs < MIN_PAUSE_MS) return rhythm;
  if (pauseMs >= rhythm.pauseMs) return { pauseMs };
  return { pauseMs: rhythm.pauseMs + (pauseMs - rhythm.pauseMs) * NEWEST_SHARE };
}

/** Whether the text is probably a whole turn, so that preparing an answer is worthwhile. */
export function isLikelyWhole(heard: HeardText, context: SaidContext): boolean {
  const ending = endingAsHeard(heard, context);
  return !isOpenEnding(ending) && ending !== "number";
}

/** The caller's words before a pause. */
export interface Said extends HeardText {
  /** Probability that the caller has finished, judged by sound; `undefined` if no model has judged. */
  probability: number | undefined;
}

/** Milliseconds of silence that end the turn, from its words, its sound and the caller's rhythm. */
export function endpointingDelayMs(said: Said, context: SaidContext, rhythm: CallerRhythm): number {
  const ending = endingAsHeard(said, context);
  const certainty = toCertainty(said.probability);
  const usualMs = Math.max(SILENCE_AFTER_MS[ending][certainty], silenceInDoubtMs(said, ending, context));
  // An answer, a question or a closing phrase is complete however slowly the caller speaks; so is a turn that sounds
  // finished.
  const isOver = ending === "answer" || ending === "question" || ending === "closed";
  const soundsOver = certainty === "sure" && (ending === "statement" || ending === "unknown");
  if (isOver || soundsOver) return usualMs;
  return Math.max(usualMs, Math.min(MAX_RHYTHM_SILENCE_MS, rhythm.pauseMs * PAUSE_MARGIN));
}

function endingAsHeard(heard: HeardText, context: SaidContext): TurnEnding {
  const ending = classifyEnding(heard.text, context);
  if (isOpenEnding(ending) || isNumber(ending)) return ending;
  return openEndingProbability(heard, context) >= OPEN_SHARE ? "unfinished" : ending;
}

/** Silence required because the last word may have been another one; 0 for numbers, whose length is better evidence. */
function silenceInDoubtMs(said: Said, ending: TurnEnding, context: SaidContext): number {
  const { text, certainty: heard, probability } = said;
  if (heard === undefined || isNumber(ending) || ending === "unknown") return 0;
  const certainty = toCertainty(probability);
  if (openEndingProbability(said, context) >= DOUBTFUL_OPEN_SHARE) return SILENCE_IF_OPEN_MS[certainty];
  const last = splitWords(text).at(-1);
  const written = heard.lastWord.find((choice) => choice.text.toLowerCase() === last);
  const isMisheard = written !== undefined && written.probability < DOUBTFUL_WORD_PROBABILITY;
  return isMisheard ? SILENCE_IF_MISHEARD_MS[certainty] : 0;
}

function isNumber(ending: TurnEnding): boolean {
  return ending === "number" || ending === "wholeNumber";
}

export function isSure(probability: number): boolean {
  return probability >= SURE_PROBABILITY;
}

function toCertainty(probability: number | undefined): Certainty {
  if (probability === undefined) return "unheard";
  if (isSure(probability)) return "sure";
  return probability < DOUBTFUL_PROBABILITY ? "doubtful" : "unsure";
}
