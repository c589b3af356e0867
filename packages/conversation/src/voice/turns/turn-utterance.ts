import type { TurnTransition } from "./turn-transition.ts";
import type { CallerUtterance } from "./turn-state.ts";

/** Pause that separates two short noises, so that they do not add up to an interruption. */
const KNOCK_PAUSE_MS = 200;

export function resume(utterance: CallerUtterance, windowEndMs: number, voicedMs: number): CallerUtterance {
  const resumed = { ...addVoice(utterance, windowEndMs, voicedMs), flush: undefined, judgment: undefined };
  const isAfterPause = windowEndMs - voicedMs - utterance.lastVoiceMs >= KNOCK_PAUSE_MS;
  return isAfterPause ? { ...resumed, voicedBeforeMs: utterance.voicedMs } : resumed;
}

export function addVoice(utterance: CallerUtterance, windowEndMs: number, voicedMs: number): CallerUtterance {
  return { ...utterance, lastVoiceMs: windowEndMs, voicedMs: utterance.voicedMs + voicedMs };
}

/** Requests the text of the current utterance. */
export function flush(transition: TurnTransition): void {
  const { utterance, lastFlushId } = transition.state;
  if (utterance === undefined) return;
  const id = lastFlushId + 1;
  transition.state.lastFlushId = id;
  transition.state.utterance = { ...utterance, flush: { id, askedAtMs: transition.atMs, answer: undefined } };
  transition.effects.push({ type: "flush", flushId: id });
}

/** Requests a judgment of the current pause. The previous one counts until the new one arrives. */
export function judge(transition: TurnTransition): void {
  const { utterance, lastJudgmentId } = transition.state;
  if (utterance === undefined) return;
  const requestId = lastJudgmentId + 1;
  transition.state.lastJudgmentId = requestId;
  const isSecond = utterance.judgment !== undefined;
  const judgment = { requestId, probability: utterance.judgment?.probability, isSecond };
  transition.state.utterance = { ...utterance, judgment };
  transition.effects.push({ type: "judgeTurn", requestId });
}

export function forgetUtterance(transition: TurnTransition): void {
  transition.state.utterance = undefined;
  transition.effects.push({ type: "endUtterance" });
}
