import type { TurnState } from "./turn-state.ts";

export const FLUSH_DEADLINE_MS = 5000;

/** The next moment at which something is due although nobody says a word; `Infinity` when there is none. */
export function nextWake(state: TurnState): number {
  if (state.phase !== "running") return Infinity;
  return Math.min(
    state.maxDurationAtMs,
    state.hangup?.atMs ?? Infinity,
    flushDeadlineAt(state),
    endpointWakeAt(state),
    state.utterance === undefined ? state.greetingAtMs : Infinity,
    silenceAt(state),
  );
}

/** Before the text is known, that it is missing can be noticed no sooner than so. */
const UNREAD_SILENCE_MS = 600;

export function endpointAt({ utterance, isVoiced }: TurnState): number {
  if (utterance === undefined || isVoiced) return Infinity;
  return utterance.lastVoiceMs + (utterance.flush?.answer?.silenceMs ?? UNREAD_SILENCE_MS);
}

/** While a text is awaited its arrival takes the place of the timer. */
function endpointWakeAt(state: TurnState): number {
  const flush = state.utterance?.flush;
  const isWaiting = flush !== undefined && flush.answer === undefined && state.agent.phase === "idle";
  return isWaiting ? Infinity : endpointAt(state);
}

export function flushDeadlineAt({ utterance }: TurnState): number {
  const flush = utterance?.flush;
  return flush === undefined || flush.answer !== undefined ? Infinity : flush.askedAtMs + FLUSH_DEADLINE_MS;
}

/** Neither the caller's speech nor the agent's thinking is silence. */
export function silenceAt({ agent, utterance, greetingAtMs, lastActivityMs, settings }: TurnState): number {
  const isQuiet = agent.phase === "idle" && utterance === undefined && greetingAtMs === Infinity;
  return isQuiet ? lastActivityMs + settings.silenceLimitMs : Infinity;
}
