import type { Draft } from "./turn-draft.ts";
import type { Utterance } from "./turn-state.ts";

/** A pause this long parts two knocks that are none of them an interruption. */
const KNOCK_PAUSE_MS = 200;

export function resume(utterance: Utterance, windowEndMs: number, voicedMs: number): Utterance {
  const resumed = { ...addVoice(utterance, windowEndMs, voicedMs), flush: undefined, judgement: undefined };
  // Single knocks, one after the other, do not add up to an interruption.
  const isAfterPause = windowEndMs - voicedMs - utterance.lastVoiceMs >= KNOCK_PAUSE_MS;
  return isAfterPause ? { ...resumed, voicedBeforeMs: utterance.voicedMs } : resumed;
}

export function addVoice(utterance: Utterance, windowEndMs: number, voicedMs: number): Utterance {
  return { ...utterance, lastVoiceMs: windowEndMs, voicedMs: utterance.voicedMs + voicedMs };
}

/** Asks for the text of the utterance under way. */
export function flush(draft: Draft): void {
  const { utterance, lastFlushId } = draft.state;
  if (utterance === undefined) return;
  const id = lastFlushId + 1;
  draft.state.lastFlushId = id;
  draft.state.utterance = { ...utterance, flush: { id, askedAtMs: draft.atMs, answer: undefined } };
  draft.effects.push({ type: "flush", flushId: id });
}

/** Asks how the utterance under way sounded before this pause; what is known of it counts until the answer is there. */
export function judge(draft: Draft): void {
  const { utterance, lastJudgementId } = draft.state;
  if (utterance === undefined) return;
  const requestId = lastJudgementId + 1;
  draft.state.lastJudgementId = requestId;
  const isSecond = utterance.judgement !== undefined;
  const judgement = { requestId, probability: utterance.judgement?.probability, isSecond };
  draft.state.utterance = { ...utterance, judgement };
  draft.effects.push({ type: "judgeTurn", requestId });
}

export function forgetUtterance(draft: Draft): void {
  draft.state.utterance = undefined;
  draft.effects.push({ type: "endUtterance" });
}
