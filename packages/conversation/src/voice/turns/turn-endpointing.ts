import type { HeardText } from "../../providers/speech-to-text.ts";
import {
  classifyEnding,
  isOpenEnding,
  openEndingProbability,
  type SaidContext,
  type TurnEnding,
  splitWords,
} from "./turn-words.ts";

/** How surely the caller has finished, by the sound of it; `unheard` where no model has told. */
type Certainty = "sure" | "unsure" | "doubtful" | "unheard";

const SURE_PROBABILITY = 0.9;
const DOUBTFUL_PROBABILITY = 0.5;

/** No turn is over after less. */
export const MIN_SILENCE_MS = 200;

/**
 * Silence after which a turn with such an ending is over, where nothing is known of the caller. Tuned on the training
 * part of `bench turns`, knowing that an answer is heard no sooner than some 650 ms after the caller's last word: who
 * goes on before it loses nothing.
 */
const SILENCE_AFTER_MS: Readonly<Record<TurnEnding, Readonly<Record<Certainty, number>>>> = {
  answer: { sure: MIN_SILENCE_MS, unsure: 220, doubtful: 500, unheard: 240 },
  // One that does not sound like its end tells no more than a statement.
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
/** The last word was so probably one after which more has to come that it counts as one, whatever was written down. */
const OPEN_SHARE = 0.5;
/** So probably that it may well have been. */
const DOUBTFUL_OPEN_SHARE = 0.1;
/** After such a word. */
const SILENCE_IF_OPEN_MS: Readonly<Record<Certainty, number>> = {
  sure: 1200,
  unsure: 1300,
  doubtful: 1450,
  unheard: 1200,
};
/** A last word that the recognizer itself believes in less than this was another, of which nothing is known. */
const DOUBTFUL_WORD_PROBABILITY = 0.2;
/** After such a word. */
const SILENCE_IF_MISHEARD_MS: Readonly<Record<Certainty, number>> = {
  sure: 700,
  unsure: 900,
  doubtful: 1100,
  unheard: 800,
};
/** A pause this much longer than those before it is more than one of them. */
const PAUSE_MARGIN = 1.25;
/** However the caller pauses, he is not waited for longer than this on that account. */
const MAX_RHYTHM_SILENCE_MS = 1400;
/** Shorter ones are part of speaking. */
const MIN_PAUSE_MS = 250;
/** Weight of the newest pause. */
const NEWEST_SHARE = 0.5;

/** How the caller pauses without having finished: nothing is known at first. */
export interface CallerRhythm {
  /** Typical pause, the longer ones counting for more; 0 while there was none. */
  readonly pauseMs: number;
}

export const UNKNOWN_RHYTHM: CallerRhythm = { pauseMs: 0 };

/** The caller went on after a pause of `pauseMs`. */
export function withPause(rhythm: CallerRhythm, pauseMs: number): CallerRhythm {
  if (pauseMs < MIN_PAUSE_MS) return rhythm;
  if (pauseMs >= rhythm.pauseMs) return { pauseMs };
  return { pauseMs: rhythm.pauseMs + (pauseMs - rhythm.pauseMs) * NEWEST_SHARE };
}

/** Whether the turn may well be over with such a text, so that an answer to it is worth its making. */
export function isLikelyWhole(heard: HeardText, context: SaidContext): boolean {
  const ending = endingAsHeard(heard, context);
  return !isOpenEnding(ending) && ending !== "number";
}

/** What a pause came after. */
export interface Said extends HeardText {
  /** That the caller has finished, by the sound of it; undefined where no model has told. */
  probability: number | undefined;
}

/** Milliseconds of silence that end the turn, by what was said in it, how it sounded and how its speaker pauses. */
export function endpointingDelayMs(said: Said, context: SaidContext, rhythm: CallerRhythm): number {
  const ending = endingAsHeard(said, context);
  const certainty = toCertainty(said.probability);
  const usualMs = Math.max(SILENCE_AFTER_MS[ending][certainty], silenceInDoubtMs(said, ending, context));
  // Who has answered or asked has finished, however slowly he speaks otherwise; and who sounds so.
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

/** Silence that is needed because the last word may have been another; of numbers their length tells more than that. */
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
