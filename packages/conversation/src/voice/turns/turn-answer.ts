import {
  type AnswerEffect,
  type AnswerEvent,
  type AnsweredBy,
  answerStep,
  initialAnswerState,
} from "../answer/answer-detection.ts";
import { dropPrepared, end, greetWhenDue, speak, speakNext } from "./turn-agent.ts";
import { considerEnd, ONSET_PROBABILITY, receiveText } from "./turn-caller.ts";
import { IDLE, isAnswerAwaited, type TurnEvent } from "./turn-state.ts";
import type { TurnTransition } from "./turn-transition.ts";
import { flush, forgetUtterance } from "./turn-utterance.ts";

/** Silence after a mailbox's greeting in which the message begins if no beep comes. */
const GREETING_END_MS = 1_500;
/** Longest wait for the end of the greeting. */
const GREETING_TIMEOUT_MS = 90_000;
const MESSAGE_LEFT = "a message was left";

/** Begins to find out who answered. The agent waits for it. */
export function awaitAnswer({ state, atMs }: TurnTransition): void {
  const { voicemail, language } = state.settings;
  if (voicemail === undefined) return;
  state.answer = initialAnswerState({ language, hasModel: voicemail.hasModel }, atMs);
}

/** Takes what is known about the side that answered. */
export function noteAnswer(transition: TurnTransition, event: AnswerEvent): void {
  const { answer } = transition.state;
  if (answer === undefined) return;
  const step = answerStep(answer, event);
  transition.state.answer = step.state;
  for (const effect of step.effects) execute(transition, effect);
}

/** Takes the recognizer's answer to a request for text. */
export function hearWords(transition: TurnTransition, event: TurnEvent & { type: "transcribed" }): void {
  const { state } = transition;
  const asked = state.utterance?.flush;
  if (state.utterance === undefined || asked?.id !== event.flushId || asked.answer !== undefined) return;
  const { atMs } = event;
  const words = { type: "words", atMs, text: event.text.trim() } as const;
  if (asked.isEarly === true) {
    state.missedFlushes = 0;
    state.utterance = { ...state.utterance, flush: undefined };
    return noteAnswer(transition, { ...words, isWhole: false });
  }
  const isAwaited = isAnswerAwaited(state);
  // A correction comes before the words are answered; a verdict ends the turn with its words.
  if (!isAwaited) noteAnswer(transition, { ...words, isWhole: true });
  if (transition.state.phase === "ended" || transition.state.voicemail !== undefined) return;
  receiveText(transition, event);
  if (isAwaited) noteAnswer(transition, { ...words, isWhole: true });
}

function execute(transition: TurnTransition, effect: AnswerEffect): void {
  switch (effect.type) {
    case "requestWords":
      return requestEarlyText(transition);
    case "ask":
      transition.effects.push({ type: "judgeAnswer", text: effect.text });
      return;
    case "decided":
      return conclude(transition, effect.by);
    case "released":
      return releaseAgent(transition);
  }
}

/** Requests the words so far while the callee goes on speaking. */
function requestEarlyText(transition: TurnTransition): void {
  const { state } = transition;
  if (state.utterance === undefined) return;
  flush(transition);
  const { utterance } = state;
  if (utterance.flush !== undefined)
    state.utterance = { ...utterance, flush: { ...utterance.flush, isEarly: true } };
}

function conclude(transition: TurnTransition, by: AnsweredBy): void {
  const { state, atMs } = transition;
  const { answer } = state;
  if (answer === undefined) return;
  const startMs = answer.speech?.startMs ?? answer.startMs;
  transition.effects.push({ type: "answeredBy", by, text: answer.text, startMs, endMs: atMs });
  if (by === "machine" || by === "fax") beginVoicemail(transition, by);
}

/** Lets the agent speak. A hello that has ended is answered without further delay. */
function releaseAgent(transition: TurnTransition): void {
  const { state, atMs } = transition;
  const { answer, settings, utterance } = state;
  if (answer !== undefined && state.isGreetingDue)
    state.greetingAtMs = Math.max(atMs, answer.startMs + settings.firstMessageDelayMs);
  if (utterance === undefined) {
    greetWhenDue(transition);
    return speakNext(transition);
  }
  const heard = utterance.flush?.answer;
  if (!state.isGreetingDue) return considerEnd(transition);
  if (heard === undefined || utterance.flush === undefined) return greetBeforeWords(transition);
  const silenceMs = Math.min(heard.silenceMs, Math.max(0, atMs - utterance.lastVoiceMs));
  state.utterance = { ...utterance, flush: { ...utterance.flush, answer: { ...heard, silenceMs } } };
  considerEnd(transition);
}

/** A person who waits for an answer is greeted although their words are not known yet. They are recorded when they come. */
function greetBeforeWords(transition: TurnTransition): void {
  greetWhenDue(transition);
  const { state } = transition;
  if (state.utterance !== undefined && !state.isGreetingDue)
    state.utterance = { ...state.utterance, isGreeted: true };
}

function beginVoicemail(transition: TurnTransition, by: "machine" | "fax"): void {
  const { state, atMs } = transition;
  const { answer, agent, settings } = state;
  dropPrepared(transition);
  if (agent.phase !== "idle") transition.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  state.agent = IDLE;
  if (state.utterance !== undefined) forgetUtterance(transition);
  state.isGreetingDue = false;
  state.greetingAtMs = Infinity;
  state.instructions = [];
  state.hasUnreportedInput = false;
  if (by === "fax") return end(transition, "voicemail", "a fax machine answered");
  if (settings.voicemail?.leavesMessage !== true) return end(transition, "voicemail", undefined);
  transition.effects.push({ type: "prepareMessage" });
  const lastSoundMs = state.isVoiced ? atMs : (answer?.speech?.lastVoiceMs ?? atMs);
  state.voicemail = { sinceMs: atMs, lastSoundMs, isTone: false, hasBeep: false };
}

/** Waits for the moment to leave the message: the end of a beep, or a silence after the greeting. */
export function followVoicemail(transition: TurnTransition, event: TurnEvent): void {
  const { state, atMs } = transition;
  const { voicemail } = state;
  if (voicemail === undefined) return;
  if (event.type === "tone") return followTone(transition, event);
  if (event.type !== "voice") return;
  const isVoice = event.probability >= ONSET_PROBABILITY;
  if (isVoice) state.voicemail = { ...voicemail, lastSoundMs: event.windowEndMs };
  if (state.agent.phase !== "idle" || state.hangup !== undefined || voicemail.isTone) return;
  if (!isVoice && atMs >= voicemail.lastSoundMs + GREETING_END_MS) return leaveMessage(transition);
  if (atMs >= voicemail.sinceMs + GREETING_TIMEOUT_MS)
    end(transition, "voicemail", "no message was left: the greeting did not end");
}

function followTone(transition: TurnTransition, { isOver, durationMs }: TurnEvent & { type: "tone" }): void {
  const { state, atMs } = transition;
  const { voicemail, agent } = state;
  if (voicemail === undefined) return;
  state.voicemail = { ...voicemail, isTone: !isOver, lastSoundMs: atMs };
  if (!isOver || state.hangup !== undefined) return;
  if (agent.phase === "idle") {
    state.voicemail = { ...state.voicemail, hasBeep: true };
    return leaveMessage(transition);
  }
  // What was said before the beep was not recorded: the message begins again, once.
  if (voicemail.hasBeep || atMs - durationMs < voicemail.sinceMs) return;
  state.voicemail = { ...state.voicemail, hasBeep: true };
  transition.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  state.agent = IDLE;
  leaveMessage(transition);
}

function leaveMessage(transition: TurnTransition): void {
  speak(transition, { type: "voicemail" });
  const { agent } = transition.state;
  if (agent.phase !== "idle")
    transition.state.agent = { ...agent, lastWords: { reason: "voicemail", detail: MESSAGE_LEFT } };
}
