import {
  dropPrepared,
  endWithApology,
  greetWhenDue,
  speakNext,
  speak,
  speakInstruction,
} from "./turn-agent.ts";
import {
  interruptWhenLongEnough,
  mayBeCommand,
  obeyCommand,
  resumePaused,
  resolveInterruption,
} from "./turn-barge-in.ts";
import type { HeardText } from "../../providers/speech-to-text.ts";
import {
  canPrepare,
  commitAt,
  decidedAt,
  endpointAt,
  FLUSH_TIMEOUT_MS,
  isPaused,
  prepareAt,
} from "./turn-deadlines.ts";
import type { TurnTransition } from "./turn-transition.ts";
import { endpointingDelayMs, isLikelyWhole, isSure, withPause } from "./turn-endpointing.ts";
import { isEcho } from "./turn-interruption.ts";
import { addKey, enterKeys, keysDueAt } from "./turn-keys.ts";
import {
  type CallerTurn,
  IDLE,
  isAnswerAwaited,
  type Judgment,
  type TurnEvent,
  type TurnState,
  type CallerUtterance,
} from "./turn-state.ts";
import { addVoice, flush, forgetUtterance, judge, resume } from "./turn-utterance.ts";
import { splitWords } from "./turn-words.ts";

/** Minimum speech probability of a window that begins speech. */
export const ONSET_PROBABILITY = 0.5;
/** Consecutive onset windows that begin speech; a single one is often a click. */
const ONSET_WINDOWS = 2;
/** Probability below which a window is silent. Between the two thresholds the previous state is kept. */
const OFFSET_PROBABILITY = 0.35;
const WINDOW_MS = 32;
/**
 * Audio before the first voiced window that belongs to the utterance. Recognizers lose the first and last word of audio
 * that is trimmed closer than 300 ms (measured with Moonshine).
 */
const PRE_ROLL_MS = 320;
/**
 * Pause after which the text and the turn-end judgment are requested, ahead of the end of the turn: the first silent
 * window. Voice activity detection takes about 75 ms to notice the end of a word, and 97 % of the pauses that reach
 * this length also reach 96 ms.
 */
const ASK_PAUSE_MS = 32;
/** The same while the agent speaks: words are shorter there, and recognizers need some silence after them. */
const INTERRUPTION_ASK_PAUSE_MS = 96;
/** Pause after which an unsure judgment is requested once more; as much silence as the model was trained on. */
const SECOND_ASK_PAUSE_MS = 192;

export function hearWindow(transition: TurnTransition, windowEndMs: number, probability: number): void {
  const { state } = transition;
  if (state.isVoiced) state.isVoiced = probability >= OFFSET_PROBABILITY;
  else {
    state.onsetWindows = probability >= ONSET_PROBABILITY ? state.onsetWindows + 1 : 0;
    if (state.onsetWindows === ONSET_WINDOWS) {
      state.isVoiced = true;
      state.onsetWindows = 0;
      beginOrResume(transition, windowEndMs);
      return interruptWhenLongEnough(transition);
    }
  }
  if (state.utterance === undefined) return;
  if (state.isVoiced) {
    state.utterance = addVoice(state.utterance, windowEndMs, WINDOW_MS);
    state.lastActivityMs = windowEndMs;
    return interruptWhenLongEnough(transition);
  }
  askAtPause(transition, windowEndMs);
}

function beginOrResume(transition: TurnTransition, windowEndMs: number): void {
  const { state } = transition;
  const voicedMs = ONSET_WINDOWS * WINDOW_MS;
  state.lastActivityMs = windowEndMs;
  if (state.utterance !== undefined) {
    const lengthMs = windowEndMs - voicedMs - state.utterance.lastVoiceMs;
    const answer = state.utterance.flush?.answer;
    const isListening = state.agent.phase === "idle" && answer !== undefined;
    const pause = isListening ? { lengthMs, wordCount: splitWords(answer.text).length } : undefined;
    dropPrepared(transition);
    const isGreeted = state.utterance.isGreeted && state.agent.phase !== "idle";
    state.utterance = { ...resume(state.utterance, windowEndMs, voicedMs), pause, isGreeted };
    return;
  }
  const startMs = Math.max(0, windowEndMs - voicedMs);
  state.utterance = {
    startMs,
    lastVoiceMs: windowEndMs,
    voicedMs,
    voicedBeforeMs: 0,
    flush: undefined,
    judgment: undefined,
    pause: undefined,
    isGreeted: false,
  };
  const leadMs = Math.min(transition.atMs, transition.atMs - startMs + PRE_ROLL_MS);
  transition.effects.push({ type: "startUtterance", leadMs });
}

function askAtPause(transition: TurnTransition, windowEndMs: number): void {
  const { utterance, agent, settings } = transition.state;
  if (utterance === undefined) return;
  // Speech over the agent that does not stop it is not answered, so its text is not needed.
  if (agent.phase !== "idle" && !isPaused(agent) && !mayBeCommand(transition.state)) return;
  const pauseMs = windowEndMs - utterance.lastVoiceMs;
  if (pauseMs < (agent.phase === "idle" ? ASK_PAUSE_MS : INTERRUPTION_ASK_PAUSE_MS)) return;
  if (utterance.flush === undefined || utterance.flush.isEarly === true) flush(transition);
  if (settings.endpointingDelayMs !== undefined || agent.phase !== "idle") return;
  const { judgment } = utterance;
  if (judgment === undefined || (pauseMs >= SECOND_ASK_PAUSE_MS && deservesSecond(judgment)))
    judge(transition);
}

function deservesSecond({ probability, isSecond }: Judgment): boolean {
  return !isSecond && probability !== undefined && !isSure(probability);
}

export function receiveText(transition: TurnTransition, event: TurnEvent & { type: "transcribed" }): void {
  const { state, atMs } = transition;
  const { utterance } = state;
  const { flushId, text, certainty } = event;
  if (utterance?.flush?.id !== flushId || utterance.flush.answer !== undefined) return;
  state.missedFlushes = 0;
  learnRhythm(transition, utterance, text);
  const heard: HeardText = { text: text.trim(), ...(certainty !== undefined && { certainty }) };
  if (isPaused(state.agent)) resolveInterruption(transition, heard, event.agentText);
  else if (!utterance.isGreeted) obeyCommand(transition, heard, event.agentText);
  // Read after the interruption is resolved: the interrupted speech is the context of this answer.
  const context = { language: state.settings.language, agentText: state.agentText };
  const isWhole = heard.text !== "" && isLikelyWhole(heard, context);
  const answer = { ...heard, atMs, silenceMs: silenceNeededMs(state, heard), isLikelyWhole: isWhole };
  const { flush: asked } = utterance;
  state.utterance = { ...(state.utterance ?? utterance), flush: { ...asked, answer }, pause: undefined };
  considerEnd(transition);
}

/**
 * Learns from a pause only if words followed it: noise after the last word says nothing about how the caller pauses.
 */
function learnRhythm({ state }: TurnTransition, { pause }: CallerUtterance, text: string): void {
  if (pause === undefined || splitWords(text).length <= pause.wordCount) return;
  state.rhythm = withPause(state.rhythm, pause.lengthMs);
}

export function receiveJudgment(transition: TurnTransition, event: TurnEvent & { type: "turnJudged" }): void {
  const { state } = transition;
  const { utterance } = state;
  if (utterance?.judgment?.requestId !== event.requestId) return;
  const judgment = { ...utterance.judgment, probability: event.probability };
  state.utterance = { ...utterance, judgment };
  const { flush: asked } = utterance;
  if (asked?.answer === undefined) return;
  const silenceMs = silenceNeededMs(state, asked.answer);
  state.utterance = { ...utterance, judgment, flush: { ...asked, answer: { ...asked.answer, silenceMs } } };
  considerEnd(transition);
}

function silenceNeededMs({ settings, agentText, rhythm, utterance }: TurnState, heard: HeardText): number {
  if (settings.endpointingDelayMs !== undefined) return settings.endpointingDelayMs;
  const probability = utterance?.judgment?.probability;
  return endpointingDelayMs({ ...heard, probability }, { language: settings.language, agentText }, rhythm);
}

/** Checks the end of the turn again after the pause has grown or more is known about it. */
export function considerEnd(transition: TurnTransition): void {
  const { state, atMs } = transition;
  if (endpointAt(state) <= atMs) return reachEndpoint(transition);
  const heard = state.utterance?.flush?.answer;
  if (heard !== undefined && prepareAt(state) <= atMs) prepareReply(transition, heard.text);
}

function prepareReply(transition: TurnTransition, text: string): void {
  const { state } = transition;
  if (text === "" || state.preparedText === text || !canPrepare(state)) return;
  dropPrepared(transition);
  state.preparedText = text;
  // The prepared reply reports these tool results. If it is dropped, a reply is still due.
  state.isReplyPending ||= state.hasUnreportedInput;
  state.hasUnreportedInput = false;
  transition.effects.push({ type: "prepareReply", text });
}

/** Prepares the reply again because the history has changed since. */
export function renewReply(transition: TurnTransition): void {
  const { preparedText } = transition.state;
  if (preparedText === undefined) return;
  dropPrepared(transition);
  prepareReply(transition, preparedText);
}

/** Adds a key. A key press stops the agent unless interruptions are disabled. */
export function pressKey(transition: TurnTransition, digit: string): void {
  const { state } = transition;
  addKey(transition, digit);
  dropPrepared(transition);
  const { agent, settings } = state;
  if (agent.phase === "speaking" && !settings.disableInterruptions && agent.lastWords === undefined) {
    transition.effects.push({ type: "stopSpeech", speechId: agent.speechId, isInterruption: true });
    state.agent = IDLE;
    state.agentSpokeAtMs = transition.atMs;
  }
  if (keysDueAt(state) <= transition.atMs) finishKeys(transition);
}

/** Ends the key input: it is answered like words, or together with the words that the caller is saying. */
export function finishKeys(transition: TurnTransition): void {
  enterKeys(transition);
  transition.state.hasUnreportedInput = true;
  speakNext(transition);
}

export function receiveReply(transition: TurnTransition): void {
  const { state, atMs } = transition;
  if (state.preparedText === undefined) return;
  state.isReplyReady = true;
  if (endpointAt(state) <= atMs) reachEndpoint(transition);
}

/** Acts on a silence long enough to end the turn. */
function reachEndpoint(transition: TurnTransition): void {
  const { state, atMs } = transition;
  const { utterance, agent } = state;
  if (utterance === undefined) return;
  if (agent.phase !== "idle" && !isPaused(agent) && !utterance.isGreeted) return forgetUtterance(transition);
  if (utterance.flush === undefined) return flush(transition);
  const { answer, askedAtMs } = utterance.flush;
  if (answer === undefined) return;
  const isOverAgent = !utterance.isGreeted && utterance.startMs < state.agentSpokeAtMs;
  if (answer.text === "" || (isOverAgent && isEcho(answer.text, state.agentText))) {
    forgetUtterance(transition);
    return continueAfterNoise(transition);
  }
  // The caller keeps the turn until the answer is audible: words before that continue it instead of interrupting.
  if (!utterance.isGreeted) prepareReply(transition, answer.text);
  if (atMs < commitAt(state)) return;
  const turn: CallerTurn = {
    text: answer.text,
    startMs: utterance.startMs,
    endMs: utterance.lastVoiceMs,
    sttMs: answer.atMs - askedAtMs,
    endpointingMs: answer.silenceMs,
    decidedAtMs: decidedAt(utterance.lastVoiceMs, answer),
  };
  forgetUtterance(transition);
  transition.effects.push({ type: "callerTurn", turn });
  if (utterance.isGreeted) return speakNext(transition);
  state.isReplyPending = false;
  if (state.isGreetingDue) return greetWhenDue(transition);
  if (!speakInstruction(transition, turn)) speak(transition, { type: "reply", turn });
}

function continueAfterNoise(transition: TurnTransition): void {
  dropPrepared(transition);
  if (transition.state.isGreetingDue) return greetWhenDue(transition);
  transition.state.hasUnreportedInput ||= transition.state.isReplyPending;
  transition.state.isReplyPending = false;
  speakNext(transition);
}

export function loseHearing(transition: TurnTransition, isFatal: boolean, detail: string): void {
  const { state } = transition;
  dropPrepared(transition);
  const wasListening =
    state.utterance !== undefined && state.agent.phase === "idle" && !isAnswerAwaited(state);
  state.utterance = undefined;
  if (isFatal) return endWithApology(transition, "error_stt", detail);
  if (isPaused(state.agent)) return resumePaused(transition);
  if (wasListening) speak(transition, { type: "phrase", phrase: "repeatRequest" });
}

export function missFlush(transition: TurnTransition): void {
  const { utterance, missedFlushes } = transition.state;
  if (utterance === undefined) return;
  transition.state.missedFlushes = missedFlushes + 1;
  if (missedFlushes === 0) return flush(transition);
  forgetUtterance(transition);
  endWithApology(transition, "error_stt", `no text within ${FLUSH_TIMEOUT_MS} ms, twice`);
}
