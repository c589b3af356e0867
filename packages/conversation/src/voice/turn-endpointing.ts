import { endingOf, type SaidContext, type TurnEnding } from "./turn-words.ts";

/** How surely the caller has finished, by the sound of it; `unheard` where no model has told. */
type Certainty = "sure" | "unsure" | "doubtful" | "unheard";

const SURE_PROBABILITY = 0.9;
const DOUBTFUL_PROBABILITY = 0.5;

/**
 * Silence after which a turn with such an ending is over, where nothing is known of the caller. Tuned on the training
 * part of `bench turns`, knowing that an answer is heard no sooner than some 650 ms after the caller's last word: who
 * goes on before it loses nothing.
 */
const silenceAfterMs: Readonly<Record<TurnEnding, Readonly<Record<Certainty, number>>>> = {
  answer: { sure: 240, unsure: 320, doubtful: 600, unheard: 240 },
  question: { sure: 260, unsure: 360, doubtful: 700, unheard: 280 },
  closed: { sure: 240, unsure: 300, doubtful: 600, unheard: 280 },
  statement: { sure: 260, unsure: 800, doubtful: 1000, unheard: 680 },
  unknown: { sure: 320, unsure: 700, doubtful: 1100, unheard: 650 },
  fragment: { sure: 500, unsure: 850, doubtful: 1100, unheard: 850 },
  wholeNumber: { sure: 900, unsure: 950, doubtful: 1100, unheard: 900 },
  number: { sure: 1150, unsure: 1150, doubtful: 1300, unheard: 1150 },
  unfinished: { sure: 1450, unsure: 1650, doubtful: 1650, unheard: 1650 },
};
/** A pause this much longer than those before it is more than one of them. */
const PAUSE_MARGIN = 1.25;
/** However the caller pauses, he is not waited for longer than this on that account. */
const LONGEST_FOR_RHYTHM_MS = 1400;
/** Shorter ones are part of speaking. */
const SHORTEST_PAUSE_MS = 250;
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
  if (pauseMs < SHORTEST_PAUSE_MS) return rhythm;
  if (pauseMs >= rhythm.pauseMs) return { pauseMs };
  return { pauseMs: rhythm.pauseMs + (pauseMs - rhythm.pauseMs) * NEWEST_SHARE };
}

/** Whether the turn may well be over with such a text, so that an answer to it is worth its making. */
export function isLikelyWhole(text: string, context: SaidContext): boolean {
  const ending = endingOf(text, context);
  return ending !== "unfinished" && ending !== "number";
}

/** What a pause came after. */
export interface Said {
  text: string;
  /** That the caller has finished, by the sound of it; undefined where no model has told. */
  probability: number | undefined;
}

/** Milliseconds of silence that end the turn, by what was said in it, how it sounded and how its speaker pauses. */
export function endpointingDelayMs(said: Said, context: SaidContext, rhythm: CallerRhythm): number {
  const ending = endingOf(said.text, context);
  const certainty = certaintyOf(said.probability);
  const usualMs = silenceAfterMs[ending][certainty];
  // Who has answered or asked has finished, however slowly he speaks otherwise; and who sounds so.
  const isOver = ending === "answer" || ending === "question" || ending === "closed";
  const soundsOver = certainty === "sure" && (ending === "statement" || ending === "unknown");
  if (isOver || soundsOver) return usualMs;
  return Math.max(usualMs, Math.min(LONGEST_FOR_RHYTHM_MS, rhythm.pauseMs * PAUSE_MARGIN));
}

function certaintyOf(probability: number | undefined): Certainty {
  if (probability === undefined) return "unheard";
  if (probability >= SURE_PROBABILITY) return "sure";
  return probability < DOUBTFUL_PROBABILITY ? "doubtful" : "unsure";
}
