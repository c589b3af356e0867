import { endingOf, type SaidContext, type TurnEnding } from "./turn-words.ts";

/** Silence after which a turn with such an ending is over, where nothing is known of the caller. */
const silenceAfterMs: Readonly<Record<TurnEnding, number>> = {
  answer: 240,
  question: 280,
  closed: 280,
  wholeNumber: 600,
  number: 1150,
  unfinished: 1650,
  fragment: 850,
  statement: 680,
  unknown: 650,
};
/** A pause this much longer than those before it is more than one of them. */
const PAUSE_MARGIN = 1.25;
const LONGEST_SILENCE_MS = 2000;
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

/** Milliseconds of silence that end the turn, by what was said in it and how its speaker pauses. */
export function endpointingDelayMs(text: string, context: SaidContext, rhythm: CallerRhythm): number {
  const ending = endingOf(text, context);
  const usualMs = silenceAfterMs[ending];
  // Who has answered or asked has finished, however slowly he speaks otherwise.
  if (ending === "answer" || ending === "question" || ending === "closed") return usualMs;
  return Math.min(LONGEST_SILENCE_MS, Math.max(usualMs, rhythm.pauseMs * PAUSE_MARGIN));
}
