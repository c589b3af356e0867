import {
  dropPrepared,
  endWithApology,
  greetWhenDue,
  speak,
  tellNews,
} from "./turn-agent.ts";
import { interruptWhenLongEnough, resumePaused, settleInterruption } from "./turn-barge-in.ts";
import { endpointAt, FLUSH_DEADLINE_MS, isPaused } from "./turn-deadlines.ts";
import type { Draft } from "./turn-draft.ts";
import { endpointingDelayMs, isLikelyWhole, withPause } from "./turn-endpointing.ts";
import { isEcho } from "./turn-interruption.ts";
import type { CallerTurn, TurnEvent } from "./turn-state.ts";
import { addVoice, flush, forgetUtterance, resume } from "./turn-utterance.ts";

/** Windows with at least this probability begin speech, … */
export const ONSET_PROBABILITY = 0.5;
/** … this many in a row: one alone is as often a click. */
const ONSET_WINDOWS = 2;
/** Below this a window is silent; between the two it goes on as it was. */
const OFFSET_PROBABILITY = 0.35;
const WINDOW_MS = 32;
/** Recognisers lose the first and last word of audio that is trimmed closer than 300 ms (measured: Moonshine). */
const PRE_ROLL_MS = 320;
/** A pause this long asks for the text ahead of the end of the turn, so that it is there by then. */
const FLUSH_PAUSE_MS = 96;

export function hearWindow(draft: Draft, windowEndMs: number, probability: number): void {
  const { state } = draft;
  if (state.isVoiced) state.isVoiced = probability >= OFFSET_PROBABILITY;
  else {
    state.onsetWindows = probability >= ONSET_PROBABILITY ? state.onsetWindows + 1 : 0;
    if (state.onsetWindows === ONSET_WINDOWS) {
      state.isVoiced = true;
      state.onsetWindows = 0;
      beginOrResume(draft, windowEndMs);
      return interruptWhenLongEnough(draft);
    }
  }
  if (state.utterance === undefined) return;
  if (state.isVoiced) {
    state.utterance = addVoice(state.utterance, windowEndMs, WINDOW_MS);
    state.lastActivityMs = windowEndMs;
    return interruptWhenLongEnough(draft);
  }
  flushAtPause(draft, windowEndMs);
}

function beginOrResume(draft: Draft, windowEndMs: number): void {
  const { state } = draft;
  const voicedMs = ONSET_WINDOWS * WINDOW_MS;
  state.lastActivityMs = windowEndMs;
  if (state.utterance !== undefined) {
    const pauseMs = windowEndMs - voicedMs - state.utterance.lastVoiceMs;
    if (state.agent.phase === "idle") state.rhythm = withPause(state.rhythm, pauseMs);
    dropPrepared(draft);
    state.utterance = resume(state.utterance, windowEndMs, voicedMs);
    return;
  }
  const startMs = Math.max(0, windowEndMs - voicedMs);
  state.utterance = { startMs, lastVoiceMs: windowEndMs, voicedMs, voicedBeforeMs: 0, flush: undefined };
  const leadMs = Math.min(draft.atMs, draft.atMs - startMs + PRE_ROLL_MS);
  draft.effects.push({ type: "startUtterance", leadMs });
}

function flushAtPause(draft: Draft, windowEndMs: number): void {
  const { utterance, agent } = draft.state;
  // What is said into the agent's speech without stopping it is not answered, so its text is not needed.
  if (utterance === undefined || utterance.flush !== undefined) return;
  if (agent.phase !== "idle" && !isPaused(agent)) return;
  if (windowEndMs - utterance.lastVoiceMs >= FLUSH_PAUSE_MS) flush(draft, utterance);
}

export function receiveText(draft: Draft, event: TurnEvent & { type: "transcribed" }): void {
  const { state, atMs } = draft;
  const { utterance } = state;
  const { flushId, text } = event;
  if (utterance?.flush?.id !== flushId || utterance.flush.answer !== undefined) return;
  state.missedFlushes = 0;
  const { settings, agentText, rhythm } = state;
  const silenceMs =
    settings.endpointingDelayMs ??
    endpointingDelayMs(text, { language: settings.language, agentText }, rhythm);
  const answer = { text: text.trim(), atMs, silenceMs };
  state.utterance = { ...utterance, flush: { ...utterance.flush, answer } };
  if (isPaused(state.agent)) settleInterruption(draft, text, event.agentText);
  if (endpointAt(state) <= atMs) reachEndpoint(draft);
  else prepareReply(draft, answer.text);
}

function prepareReply(draft: Draft, text: string): void {
  const { agent, isGreetingDue, agentText, settings } = draft.state;
  if (agent.phase !== "idle" || isGreetingDue || text === "") return;
  if (!isLikelyWhole(text, { language: settings.language, agentText })) return;
  draft.state.preparedText = text;
  // It will tell of what tools have answered by now; should it be for nothing, that is still owed.
  draft.state.owesReply ||= draft.state.hasNews;
  draft.state.hasNews = false;
  draft.effects.push({ type: "prepareReply", text });
}

/** The caller was silent for as long as ends a turn. */
export function reachEndpoint(draft: Draft): void {
  const { state } = draft;
  const { utterance, agent } = state;
  if (utterance === undefined) return;
  if (agent.phase !== "idle" && !isPaused(agent)) return forgetUtterance(draft);
  if (utterance.flush === undefined) return flush(draft, utterance);
  const { answer, askedAtMs } = utterance.flush;
  if (answer === undefined) return;
  forgetUtterance(draft);
  const isOverAgent = utterance.startMs < state.agentSpokeAtMs;
  if (answer.text === "" || (isOverAgent && isEcho(answer.text, state.agentText))) {
    return continueAfterNoise(draft);
  }
  const turn: CallerTurn = {
    text: answer.text,
    startMs: utterance.startMs,
    endMs: utterance.lastVoiceMs,
    sttMs: answer.atMs - askedAtMs,
    endpointingMs: answer.silenceMs,
  };
  draft.effects.push({ type: "callerTurn", turn });
  state.owesReply = false;
  if (state.isGreetingDue) return greetWhenDue(draft);
  speak(draft, { type: "reply", turn });
}

function continueAfterNoise(draft: Draft): void {
  dropPrepared(draft);
  if (draft.state.isGreetingDue) return greetWhenDue(draft);
  if (!draft.state.owesReply) return tellNews(draft);
  draft.state.owesReply = false;
  speak(draft, { type: "reply", turn: undefined });
}

export function loseHearing(draft: Draft, isFatal: boolean, detail: string): void {
  const { state } = draft;
  dropPrepared(draft);
  const wasListening = state.utterance !== undefined && state.agent.phase === "idle";
  state.utterance = undefined;
  if (isFatal) return endWithApology(draft, "error_stt", detail);
  if (isPaused(state.agent)) return resumePaused(draft);
  if (wasListening) speak(draft, { type: "phrase", phrase: "repeatRequest" });
}

export function missFlush(draft: Draft): void {
  const { utterance, missedFlushes } = draft.state;
  if (utterance === undefined) return;
  draft.state.missedFlushes = missedFlushes + 1;
  if (missedFlushes === 0) return flush(draft, utterance);
  forgetUtterance(draft);
  endWithApology(draft, "error_stt", `no text within ${FLUSH_DEADLINE_MS} ms, twice`);
}

