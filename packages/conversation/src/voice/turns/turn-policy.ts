import {
  admitNoAnswer,
  beginSpeech,
  end,
  endSpeech,
  failSpeech,
  greet,
  receiveInstruction,
  speakNext,
  speak,
} from "./turn-agent.ts";
import { awaitAnswer, followVoicemail, hearWords, noteAnswer } from "./turn-answer.ts";
import { resolvePausedSpeech } from "./turn-barge-in.ts";
import {
  considerEnd,
  finishKeys,
  hearWindow,
  loseHearing,
  missFlush,
  ONSET_PROBABILITY,
  pressKey,
  receiveJudgment,
  receiveReply,
  renewReply,
} from "./turn-caller.ts";
import {
  endpointAt,
  flushDeadlineAt,
  prepareAt,
  reminderAt,
  silenceAt,
  pausedSpeechDeadlineAt,
} from "./turn-deadlines.ts";
import { TurnTransition } from "./turn-transition.ts";
import { keysDueAt } from "./turn-keys.ts";
import {
  isAnswerAwaited,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
  type TurnStep,
} from "./turn-state.ts";

const NO_EFFECTS: readonly TurnEffect[] = [];

/**
 * Decides who speaks. A pure function of the state and one event, so that a recorded log of events replays to the same
 * decisions.
 */
export function turnStep(state: TurnState, event: TurnEvent): TurnStep {
  if (
    state.phase === "ended" ||
    (state.phase === "waiting" && event.type !== "start" && event.type !== "hangup")
  ) {
    return { state, effects: NO_EFFECTS };
  }
  if (event.type === "voice" && isUneventful(state, event.probability)) return { state, effects: NO_EFFECTS };
  const transition = new TurnTransition(state, event.atMs);
  decide(transition, event);
  return transition.finish();
}

/** Whether the window continues a silence. Most of a call is silence, so it creates no new state. */
function isUneventful(state: TurnState, probability: number): boolean {
  return (
    probability < ONSET_PROBABILITY &&
    !isAnswerAwaited(state) &&
    state.voicemail === undefined &&
    !state.isVoiced &&
    state.onsetWindows === 0 &&
    state.utterance === undefined
  );
}

function decide(transition: TurnTransition, event: TurnEvent): void {
  const { state, atMs } = transition;
  if (state.voicemail !== undefined && isOfCallee(event)) return followVoicemail(transition, event);
  switch (event.type) {
    case "start":
      return start(transition);
    case "voice":
      hearWindow(transition, event.windowEndMs, event.probability);
      return noteAnswer(transition, {
        type: "window",
        atMs,
        endMs: event.windowEndMs,
        isVoiced: state.isVoiced,
      });
    case "transcribed":
      return hearWords(transition, event);
    case "partial":
      return noteAnswer(transition, { type: "words", atMs, text: event.text, isWhole: false });
    case "tone":
      return noteAnswer(transition, event);
    case "answerJudged":
      return noteAnswer(transition, { type: "opinion", atMs, by: event.by });
    case "turnJudged":
      return receiveJudgment(transition, event);
    case "replyReady":
      return receiveReply(transition);
    case "hearingLost":
      return loseHearing(transition, event.isFatal, event.detail);
    case "speechStarted":
      return beginSpeech(transition, event.speechId);
    case "speechEnded":
      return endSpeech(transition, event);
    case "speechFailed":
      return failSpeech(transition, event);
    case "answerOverdue":
      return admitNoAnswer(transition, event.speechId);
    case "key":
      return pressKey(transition, event.digit);
    case "instructed":
      return event.speak ? receiveInstruction(transition, event.text) : renewReply(transition);
    case "toolAnswered":
      state.hasUnreportedInput = true;
      return speakNext(transition);
    case "stoodStill":
      state.maxDurationAtMs -= event.durationMs;
      return;
    case "timer":
      return wake(transition);
    case "hangup":
      return end(transition, event.reason, event.detail);
  }
}

/** Whether the event reports what the callee, the recognizer or the API said, which a mailbox's message does not depend on. */
function isOfCallee({ type }: TurnEvent): boolean {
  return !OWN_EVENTS.has(type);
}

const OWN_EVENTS: ReadonlySet<TurnEvent["type"]> = new Set([
  "speechStarted",
  "speechEnded",
  "speechFailed",
  "stoodStill",
  "timer",
  "hangup",
]);

function start(transition: TurnTransition): void {
  const { state, atMs } = transition;
  state.phase = "running";
  state.lastActivityMs = atMs;
  state.maxDurationAtMs = atMs + state.settings.maxDurationMs;
  awaitAnswer(transition);
  if (state.settings.startSpeaker !== "agent" || !state.settings.hasGreeting) return;
  state.isGreetingDue = true;
  if (isAnswerAwaited(state)) return;
  if (state.settings.firstMessageDelayMs > 0) state.greetingAtMs = atMs + state.settings.firstMessageDelayMs;
  else greet(transition);
}

function wake(transition: TurnTransition): void {
  const { state, atMs } = transition;
  if (atMs >= state.maxDurationAtMs) return end(transition, "max_duration", undefined);
  if (state.hangup !== undefined && atMs >= state.hangup.atMs) {
    return end(transition, state.hangup.reason, state.hangup.detail);
  }
  if (atMs >= pausedSpeechDeadlineAt(state)) return resolvePausedSpeech(transition);
  if (atMs >= flushDeadlineAt(state)) return missFlush(transition);
  if (atMs >= keysDueAt(state)) return finishKeys(transition);
  if (atMs >= Math.min(prepareAt(state), endpointAt(state))) return considerEnd(transition);
  if (atMs >= state.greetingAtMs && state.utterance === undefined) return greet(transition);
  if (atMs >= silenceAt(state)) return end(transition, "silence_timeout", undefined);
  if (atMs >= reminderAt(state)) speak(transition, { type: "reminder" });
}
