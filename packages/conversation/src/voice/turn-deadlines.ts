import type { Agent, TurnState } from "./turn-state.ts";

export const FLUSH_DEADLINE_MS = 5000;
/** A paused agent does not wait longer for the caller's words: it looks what there is, … */
const PAUSED_FLUSH_MS = 1400;
/** … and when that does not come either, somebody has spoken for all that. */
const PAUSED_TEXT_MS = 1500;

/** The next moment at which something is due although nobody says a word; `Infinity` when there is none. */
export function nextWake(state: TurnState): number {
  if (state.phase !== "running") return Infinity;
  return Math.min(
    state.maxDurationAtMs,
    state.hangup?.atMs ?? Infinity,
    flushDeadlineAt(state),
    unheardAt(state),
    endpointWakeAt(state),
    state.utterance === undefined ? state.greetingAtMs : Infinity,
    reminderAt(state),
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
  const wantsText = state.agent.phase === "idle" || isPaused(state.agent);
  return wantsText && flush !== undefined && flush.answer === undefined ? Infinity : endpointAt(state);
}

export function isPaused(agent: Agent): boolean {
  return agent.phase === "speaking" && agent.pausedAtMs !== undefined;
}

/** When a paused agent has to learn what was said, or has waited for it long enough. */
export function unheardAt({ agent, utterance }: TurnState): number {
  if (agent.phase === "idle" || agent.pausedAtMs === undefined || utterance === undefined) return Infinity;
  const { flush } = utterance;
  if (flush === undefined) return agent.pausedAtMs + PAUSED_FLUSH_MS;
  return flush.answer === undefined ? flush.askedAtMs + PAUSED_TEXT_MS : Infinity;
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

/** When the agent speaks again to a caller who says nothing. Its own words do not put off the end of the call. */
export function reminderAt(state: TurnState): number {
  if (silenceAt(state) === Infinity || state.hangup !== undefined) return Infinity;
  return Math.max(state.agentSpokeAtMs, state.lastActivityMs) + state.settings.turnTimeoutMs;
}
