import {
  dropPrepared,
  endWithApology,
  greetWhenDue,
  sayNext,
  speak,
  speakInstruction,
} from "./turn-agent.ts";
import {
  interruptWhenLongEnough,
  mayBeCommand,
  obeyCommand,
  resumePaused,
  settleInterruption,
} from "./turn-barge-in.ts";
import type { HeardText } from "../../providers/speech-to-text.ts";
import {
  canPrepare,
  commitAt,
  decidedAt,
  endpointAt,
  FLUSH_DEADLINE_MS,
  isPaused,
  prepareAt,
} from "./turn-deadlines.ts";
import type { Draft } from "./turn-draft.ts";
import { endpointingDelayMs, isLikelyWhole, isSure, withPause } from "./turn-endpointing.ts";
import { isEcho } from "./turn-interruption.ts";
import { addKey, enterKeys, keysDueAt } from "./turn-keys.ts";
import {
  type CallerTurn,
  IDLE,
  type Judgement,
  type TurnEvent,
  type TurnState,
  type Utterance,
} from "./turn-state.ts";
import { addVoice, flush, forgetUtterance, judge, resume } from "./turn-utterance.ts";
import { wordsOf } from "./turn-words.ts";

/** Windows with at least this probability begin speech, … */
export const ONSET_PROBABILITY = 0.5;
/** … this many in a row: one alone is as often a click. */
const ONSET_WINDOWS = 2;
/** Below this a window is silent; between the two it goes on as it was. */
const OFFSET_PROBABILITY = 0.35;
const WINDOW_MS = 32;
/** Recognisers lose the first and last word of audio that is trimmed closer than 300 ms (measured: Moonshine). */
const PRE_ROLL_MS = 320;
/**
 * A pause this long asks for the text and for how it sounded, ahead of the end of the turn, so that both are there by then:
 * the first silent window. Voice activity takes some 75 ms to see that a word is over, so that 97 % of those pauses are as
 * long as 96 ms.
 */
const ASK_PAUSE_MS = 32;
/** Into the agent's speech words are shorter, and a recogniser needs some silence after them. */
const INTERRUPTION_ASK_PAUSE_MS = 96;
/** As much silence as the model was trained on: where it was not sure before it is asked once more. */
const SECOND_ASK_PAUSE_MS = 192;

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
  askAtPause(draft, windowEndMs);
}

function beginOrResume(draft: Draft, windowEndMs: number): void {
  const { state } = draft;
  const voicedMs = ONSET_WINDOWS * WINDOW_MS;
  state.lastActivityMs = windowEndMs;
  if (state.utterance !== undefined) {
    const lengthMs = windowEndMs - voicedMs - state.utterance.lastVoiceMs;
    const answer = state.utterance.flush?.answer;
    const isListening = state.agent.phase === "idle" && answer !== undefined;
    const pause = isListening ? { lengthMs, wordCount: wordsOf(answer.text).length } : undefined;
    dropPrepared(draft);
    state.utterance = { ...resume(state.utterance, windowEndMs, voicedMs), pause };
    return;
  }
  const startMs = Math.max(0, windowEndMs - voicedMs);
  state.utterance = {
    startMs,
    lastVoiceMs: windowEndMs,
    voicedMs,
    voicedBeforeMs: 0,
    flush: undefined,
    judgement: undefined,
    pause: undefined,
  };
  const leadMs = Math.min(draft.atMs, draft.atMs - startMs + PRE_ROLL_MS);
  draft.effects.push({ type: "startUtterance", leadMs });
}

function askAtPause(draft: Draft, windowEndMs: number): void {
  const { utterance, agent, settings } = draft.state;
  if (utterance === undefined) return;
  // What is said into the agent's speech without stopping it is not answered, so its text is not needed.
  if (agent.phase !== "idle" && !isPaused(agent) && !mayBeCommand(draft.state)) return;
  const pauseMs = windowEndMs - utterance.lastVoiceMs;
  if (pauseMs < (agent.phase === "idle" ? ASK_PAUSE_MS : INTERRUPTION_ASK_PAUSE_MS)) return;
  if (utterance.flush === undefined) flush(draft);
  if (settings.endpointingDelayMs !== undefined || agent.phase !== "idle") return;
  const { judgement } = utterance;
  if (judgement === undefined || (pauseMs >= SECOND_ASK_PAUSE_MS && deservesSecond(judgement))) judge(draft);
}

function deservesSecond({ probability, isSecond }: Judgement): boolean {
  return !isSecond && probability !== undefined && !isSure(probability);
}

export function receiveText(draft: Draft, event: TurnEvent & { type: "transcribed" }): void {
  const { state, atMs } = draft;
  const { utterance } = state;
  const { flushId, text, certainty } = event;
  if (utterance?.flush?.id !== flushId || utterance.flush.answer !== undefined) return;
  state.missedFlushes = 0;
  learnRhythm(draft, utterance, text);
  const heard: HeardText = { text: text.trim(), ...(certainty !== undefined && { certainty }) };
  if (isPaused(state.agent)) settleInterruption(draft, heard, event.agentText);
  else obeyCommand(draft, heard, event.agentText);
  // What was interrupted is what this answers.
  const context = { language: state.settings.language, agentText: state.agentText };
  const isWhole = heard.text !== "" && isLikelyWhole(heard, context);
  const answer = { ...heard, atMs, silenceMs: silenceNeededMs(state, heard), isLikelyWhole: isWhole };
  const { flush: asked } = utterance;
  state.utterance = { ...(state.utterance ?? utterance), flush: { ...asked, answer }, pause: undefined };
  considerEnd(draft);
}

/** Only a pause in the caller's own words tells how he pauses: noise after them goes on without words. */
function learnRhythm({ state }: Draft, { pause }: Utterance, text: string): void {
  if (pause === undefined || wordsOf(text).length <= pause.wordCount) return;
  state.rhythm = withPause(state.rhythm, pause.lengthMs);
}

export function receiveJudgement(draft: Draft, event: TurnEvent & { type: "turnJudged" }): void {
  const { state } = draft;
  const { utterance } = state;
  if (utterance?.judgement?.requestId !== event.requestId) return;
  const judgement = { ...utterance.judgement, probability: event.probability };
  state.utterance = { ...utterance, judgement };
  const { flush: asked } = utterance;
  if (asked?.answer === undefined) return;
  const silenceMs = silenceNeededMs(state, asked.answer);
  state.utterance = { ...utterance, judgement, flush: { ...asked, answer: { ...asked.answer, silenceMs } } };
  considerEnd(draft);
}

function silenceNeededMs({ settings, agentText, rhythm, utterance }: TurnState, heard: HeardText): number {
  if (settings.endpointingDelayMs !== undefined) return settings.endpointingDelayMs;
  const probability = utterance?.judgement?.probability;
  return endpointingDelayMs({ ...heard, probability }, { language: settings.language, agentText }, rhythm);
}

/** The pause has grown, or more is known of it. */
export function considerEnd(draft: Draft): void {
  const { state, atMs } = draft;
  if (endpointAt(state) <= atMs) return reachEndpoint(draft);
  const heard = state.utterance?.flush?.answer;
  if (heard !== undefined && prepareAt(state) <= atMs) prepareReply(draft, heard.text);
}

function prepareReply(draft: Draft, text: string): void {
  const { state } = draft;
  if (text === "" || state.preparedText === text || !canPrepare(state)) return;
  dropPrepared(draft);
  state.preparedText = text;
  // It will tell of what tools have answered by now; should it be for nothing, that is still owed.
  state.owesReply ||= state.hasNews;
  state.hasNews = false;
  draft.effects.push({ type: "prepareReply", text });
}

/** What is prepared knows nothing of what stands in the history since. */
export function renewReply(draft: Draft): void {
  const { preparedText } = draft.state;
  if (preparedText === undefined) return;
  dropPrepared(draft);
  prepareReply(draft, preparedText);
}

/** Who presses a key has heard enough: the agent falls silent, unless it may not be interrupted. */
export function pressKey(draft: Draft, digit: string): void {
  const { state } = draft;
  addKey(draft, digit);
  dropPrepared(draft);
  const { agent, settings } = state;
  if (agent.phase === "speaking" && !settings.disableInterruptions && agent.lastWords === undefined) {
    draft.effects.push({ type: "stopSpeech", speechId: agent.speechId });
    state.agent = IDLE;
    state.agentSpokeAtMs = draft.atMs;
  }
  if (keysDueAt(state) <= draft.atMs) finishKeys(draft);
}

/** The keys are answered like words, or together with the words that the caller says meanwhile. */
export function finishKeys(draft: Draft): void {
  enterKeys(draft);
  draft.state.hasNews = true;
  sayNext(draft);
}

export function receiveReply(draft: Draft): void {
  const { state, atMs } = draft;
  if (state.preparedText === undefined) return;
  state.isReplyReady = true;
  if (endpointAt(state) <= atMs) reachEndpoint(draft);
}

/** The caller was silent for as long as ends a turn. */
function reachEndpoint(draft: Draft): void {
  const { state, atMs } = draft;
  const { utterance, agent } = state;
  if (utterance === undefined) return;
  if (agent.phase !== "idle" && !isPaused(agent)) return forgetUtterance(draft);
  if (utterance.flush === undefined) return flush(draft);
  const { answer, askedAtMs } = utterance.flush;
  if (answer === undefined) return;
  const isOverAgent = utterance.startMs < state.agentSpokeAtMs;
  if (answer.text === "" || (isOverAgent && isEcho(answer.text, state.agentText))) {
    forgetUtterance(draft);
    return continueAfterNoise(draft);
  }
  // The turn is the caller's until the answer can be heard: who goes on before it has not been cut off.
  prepareReply(draft, answer.text);
  if (atMs < commitAt(state)) return;
  const turn: CallerTurn = {
    text: answer.text,
    startMs: utterance.startMs,
    endMs: utterance.lastVoiceMs,
    sttMs: answer.atMs - askedAtMs,
    endpointingMs: answer.silenceMs,
    decidedAtMs: decidedAt(utterance.lastVoiceMs, answer),
  };
  forgetUtterance(draft);
  draft.effects.push({ type: "callerTurn", turn });
  state.owesReply = false;
  if (state.isGreetingDue) return greetWhenDue(draft);
  if (!speakInstruction(draft, turn)) speak(draft, { type: "reply", turn });
}

function continueAfterNoise(draft: Draft): void {
  dropPrepared(draft);
  if (draft.state.isGreetingDue) return greetWhenDue(draft);
  draft.state.hasNews ||= draft.state.owesReply;
  draft.state.owesReply = false;
  sayNext(draft);
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
  if (missedFlushes === 0) return flush(draft);
  forgetUtterance(draft);
  endWithApology(draft, "error_stt", `no text within ${FLUSH_DEADLINE_MS} ms, twice`);
}
