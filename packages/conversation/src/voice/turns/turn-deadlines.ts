import { MIN_SILENCE_MS } from "./turn-endpointing.ts";
import { keysDueAt } from "./turn-keys.ts";
import type { Agent, TurnState } from "./turn-state.ts";

export const FLUSH_TIMEOUT_MS = 5000;
/** A paused agent does not wait longer for the caller's words: it looks what there is, … */
const PAUSED_FLUSH_DELAY_MS = 1400;
/** … and when that does not come either, somebody has spoken for all that. */
const PAUSED_TEXT_TIMEOUT_MS = 1500;

/** The next moment at which something is due although nobody says a word; `Infinity` when there is none. */
export function nextWake(state: TurnState): number {
  if (state.phase !== "running") return Infinity;
  return Math.min(
    state.maxDurationAtMs,
    state.hangup?.atMs ?? Infinity,
    flushDeadlineAt(state),
    pausedSpeechDeadlineAt(state),
    prepareAt(state),
    endpointWakeAt(state),
    keysDueAt(state),
    state.utterance === undefined ? state.greetingAtMs : Infinity,
    reminderAt(state),
    silenceAt(state),
  );
}

/**
 * A turn that has ended stays the caller's for so long while its answer is made: he may go on as if nothing had been. An
 * answer that takes longer may have to act before it speaks.
 */
const REPLY_TIMEOUT_MS = 700;

/** Before the text is known, that it is missing can be noticed no sooner than so. */
const UNREAD_SILENCE_MS = 600;

/** A loud window may be the caller going on: the next one tells, and nothing is decided before. */
function mayBeSpeaking({ isVoiced, onsetWindows }: TurnState): boolean {
  return isVoiced || onsetWindows > 0;
}

export function endpointAt(state: TurnState): number {
  const { utterance } = state;
  if (utterance === undefined || mayBeSpeaking(state)) return Infinity;
  return utterance.lastVoiceMs + (utterance.flush?.answer?.silenceMs ?? UNREAD_SILENCE_MS);
}

/** Whether an answer to the caller's words can be made now; else something else comes first, or is answered with them. */
export function canPrepare({ agent, isGreetingDue, keys, instructions }: TurnState): boolean {
  return agent.phase === "idle" && !isGreetingDue && keys === undefined && instructions.length === 0;
}

/**
 * When an answer is begun to what may be all that the caller says: not while the pause is shorter than any that ends a turn.
 * A short text is there sooner, and its answer would be heard while the caller draws breath.
 */
export function prepareAt(state: TurnState): number {
  const { utterance, preparedText } = state;
  const answer = utterance?.flush?.answer;
  if (utterance === undefined || answer === undefined || mayBeSpeaking(state)) return Infinity;
  const isDue = answer.isLikelyWhole && answer.text !== preparedText && canPrepare(state);
  return isDue ? utterance.lastVoiceMs + MIN_SILENCE_MS : Infinity;
}

/** When, at the earliest, it was known that the caller was silent for as long as ends a turn. */
export function decidedAt(lastVoiceMs: number, answer: { atMs: number; silenceMs: number }): number {
  return Math.max(lastVoiceMs + answer.silenceMs, answer.atMs);
}

/** When a turn that has ended is answered: once the answer can be heard, or it is not waited for any longer. */
export function commitAt(state: TurnState): number {
  const { utterance, preparedText, isReplyReady } = state;
  const answer = utterance?.flush?.answer;
  if (utterance === undefined || answer === undefined) return endpointAt(state);
  const isReplyAwaited = preparedText === answer.text && !isReplyReady;
  const readyAtMs = decidedAt(utterance.lastVoiceMs, answer) + (isReplyAwaited ? REPLY_TIMEOUT_MS : 0);
  // Who presses keys as well is answered to both.
  return state.keys === undefined ? readyAtMs : Math.max(readyAtMs, keysDueAt(state));
}

/** The caller's turn is over as far as can be known, and its answer is still waited for. */
export function isReplyAwaited(state: TurnState, atMs: number): boolean {
  const isAwaited = state.agent.phase === "idle" && state.preparedText !== undefined;
  return isAwaited && atMs >= endpointAt(state);
}

/** While a text is awaited its arrival takes the place of the timer. */
function endpointWakeAt(state: TurnState): number {
  const flush = state.utterance?.flush;
  const wantsText = state.agent.phase === "idle" || isPaused(state.agent);
  return wantsText && flush !== undefined && flush.answer === undefined
    ? Infinity
    : mayBeSpeaking(state)
      ? Infinity
      : commitAt(state);
}

export function isPaused(agent: Agent): boolean {
  return agent.phase === "speaking" && agent.pausedAtMs !== undefined;
}

/** When a paused agent has to learn what was said, or has waited for it long enough. */
export function pausedSpeechDeadlineAt({ agent, utterance }: TurnState): number {
  if (agent.phase === "idle" || agent.pausedAtMs === undefined || utterance === undefined) return Infinity;
  const { flush } = utterance;
  if (flush === undefined) return agent.pausedAtMs + PAUSED_FLUSH_DELAY_MS;
  return flush.answer === undefined ? flush.askedAtMs + PAUSED_TEXT_TIMEOUT_MS : Infinity;
}

export function flushDeadlineAt({ utterance }: TurnState): number {
  const flush = utterance?.flush;
  return flush === undefined || flush.answer !== undefined ? Infinity : flush.askedAtMs + FLUSH_TIMEOUT_MS;
}

/** Neither the caller's speech nor the agent's thinking is silence. */
export function silenceAt(state: TurnState): number {
  const { agent, utterance, keys, greetingAtMs, lastActivityMs, settings } = state;
  const isCallerSilent = utterance === undefined && keys === undefined;
  const isQuiet = agent.phase === "idle" && isCallerSilent && greetingAtMs === Infinity;
  return isQuiet ? lastActivityMs + settings.silenceLimitMs : Infinity;
}

/** When the agent speaks again to a caller who says nothing. Its own words do not put off the end of the call. */
export function reminderAt(state: TurnState): number {
  if (silenceAt(state) === Infinity || state.hangup !== undefined) return Infinity;
  return Math.max(state.agentSpokeAtMs, state.lastActivityMs) + state.settings.turnTimeoutMs;
}
