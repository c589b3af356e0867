import { MIN_SILENCE_MS } from "./turn-endpointing.ts";
import { keysDueAt } from "./turn-keys.ts";
import { type Agent, isAnswerAwaited, type TurnState } from "./turn-state.ts";

export const FLUSH_TIMEOUT_MS = 5000;
/**
 * Time after a pause of the agent's speech at which the caller's text is requested even if the caller is still
 * speaking.
 */
const PAUSED_FLUSH_DELAY_MS = 1400;
/** Time to wait for that text. Without it the caller counts as having interrupted. */
const PAUSED_TEXT_TIMEOUT_MS = 1500;

/** Media time of the next deadline; `Infinity` if there is none. */
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
 * Time that a finished turn waits for the first audio of its answer. The caller may continue the turn until then. An
 * answer that takes longer may have to call tools before it speaks.
 */
const REPLY_TIMEOUT_MS = 700;

/** Silence after which a missing text is noticed. */
const UNREAD_SILENCE_MS = 600;

/**
 * Whether the caller may be speaking. After one loud window nothing is decided before the next one, and no turn ends before it is
 * known who answered.
 */
function mayBeSpeaking(state: TurnState): boolean {
  return state.isVoiced || state.onsetWindows > 0 || isAnswerAwaited(state);
}

export function endpointAt(state: TurnState): number {
  const { utterance } = state;
  if (utterance === undefined || mayBeSpeaking(state)) return Infinity;
  return utterance.lastVoiceMs + (utterance.flush?.answer?.silenceMs ?? UNREAD_SILENCE_MS);
}

/**
 * Whether a reply to the caller's words can be prepared now. Otherwise something else is due first or is answered
 * together with them.
 */
export function canPrepare({ agent, isGreetingDue, keys, instructions }: TurnState): boolean {
  return agent.phase === "idle" && !isGreetingDue && keys === undefined && instructions.length === 0;
}

/**
 * Media time at which a reply to a possibly complete turn is prepared: never before the shortest silence that ends a
 * turn. A short text arrives earlier, and its answer would begin while the caller draws breath.
 */
export function prepareAt(state: TurnState): number {
  const { utterance, preparedText } = state;
  const answer = utterance?.flush?.answer;
  if (utterance === undefined || answer === undefined || mayBeSpeaking(state)) return Infinity;
  const isDue = answer.isLikelyWhole && answer.text !== preparedText && canPrepare(state);
  return isDue ? utterance.lastVoiceMs + MIN_SILENCE_MS : Infinity;
}

/** Earliest media time at which both the text and a silence long enough to end the turn were known. */
export function decidedAt(lastVoiceMs: number, answer: { atMs: number; silenceMs: number }): number {
  return Math.max(lastVoiceMs + answer.silenceMs, answer.atMs);
}

/** Media time at which a finished turn is answered: when the answer is audible, or the wait for it is over. */
export function commitAt(state: TurnState): number {
  const { utterance, preparedText, isReplyReady } = state;
  const answer = utterance?.flush?.answer;
  if (utterance === undefined || answer === undefined) return endpointAt(state);
  const isReplyAwaited = preparedText === answer.text && !isReplyReady;
  const readyAtMs = decidedAt(utterance.lastVoiceMs, answer) + (isReplyAwaited ? REPLY_TIMEOUT_MS : 0);
  // Keys pressed during the turn are answered together with it.
  return state.keys === undefined ? readyAtMs : Math.max(readyAtMs, keysDueAt(state));
}

/** Whether the caller's turn is over as far as known, and its answer is not audible yet. */
export function isReplyAwaited(state: TurnState, atMs: number): boolean {
  const isAwaited = state.agent.phase === "idle" && state.preparedText !== undefined;
  return isAwaited && atMs >= endpointAt(state);
}

/**
 * Media time of the endpoint timer; `Infinity` while a text is awaited, because its arrival triggers the same check.
 */
function endpointWakeAt(state: TurnState): number {
  const flush = state.utterance?.flush;
  const wantsText =
    state.agent.phase === "idle" || isPaused(state.agent) || state.utterance?.isGreeted === true;
  return wantsText && flush !== undefined && flush.answer === undefined
    ? Infinity
    : mayBeSpeaking(state)
      ? Infinity
      : commitAt(state);
}

export function isPaused(agent: Agent): boolean {
  return agent.phase === "speaking" && agent.pausedAtMs !== undefined;
}

/** Media time at which a paused speech must be resolved: its text is requested, or the wait for the text is over. */
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

/** Media time at which silence ends the call. Caller speech and agent thinking do not count as silence. */
export function silenceAt(state: TurnState): number {
  const { agent, utterance, keys, greetingAtMs, lastActivityMs, settings, voicemail } = state;
  const isCallerSilent = utterance === undefined && keys === undefined;
  const isQuiet = agent.phase === "idle" && isCallerSilent && greetingAtMs === Infinity;
  return isQuiet && voicemail === undefined ? lastActivityMs + settings.silenceLimitMs : Infinity;
}

/** Media time at which the agent speaks again to a silent caller. Reminders do not postpone the end of the call. */
export function reminderAt(state: TurnState): number {
  if (silenceAt(state) === Infinity || state.hangup !== undefined) return Infinity;
  return Math.max(state.agentSpokeAtMs, state.lastActivityMs) + state.settings.turnTimeoutMs;
}
