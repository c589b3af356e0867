import {
  beginSpeech,
  end,
  endSpeech,
  failSpeech,
  greet,
  receiveInstruction,
  sayNext,
  speak,
} from "./turn-agent.ts";
import { hurryPaused } from "./turn-barge-in.ts";
import {
  considerEnd,
  finishKeys,
  hearWindow,
  loseHearing,
  missFlush,
  ONSET_PROBABILITY,
  pressKey,
  receiveJudgement,
  receiveReply,
  receiveText,
  renewReply,
} from "./turn-caller.ts";
import {
  endpointAt,
  flushDeadlineAt,
  prepareAt,
  reminderAt,
  silenceAt,
  unheardAt,
} from "./turn-deadlines.ts";
import { Draft } from "./turn-draft.ts";
import { keysDueAt } from "./turn-keys.ts";
import type { TurnEffect, TurnEvent, TurnState, TurnStep } from "./turn-state.ts";

const NO_EFFECTS: readonly TurnEffect[] = [];

/**
 * Decides who speaks: a pure function of the state and one event, so that a recorded log of events replays to
 * the same decisions.
 */
export function turnStep(state: TurnState, event: TurnEvent): TurnStep {
  if (
    state.phase === "ended" ||
    (state.phase === "waiting" && event.type !== "start" && event.type !== "hangup")
  ) {
    return { state, effects: NO_EFFECTS };
  }
  if (event.type === "voice" && isUneventful(state, event.probability)) return { state, effects: NO_EFFECTS };
  const draft = new Draft(state, event.atMs);
  decide(draft, event);
  return draft.finish();
}

/** Silence going on while nobody spoke is most of a call: it costs no new state. */
function isUneventful(state: TurnState, probability: number): boolean {
  return (
    probability < ONSET_PROBABILITY &&
    !state.isVoiced &&
    state.onsetWindows === 0 &&
    state.utterance === undefined
  );
}

function decide(draft: Draft, event: TurnEvent): void {
  const { state } = draft;
  switch (event.type) {
    case "start":
      return start(draft);
    case "voice":
      return hearWindow(draft, event.windowEndMs, event.probability);
    case "transcribed":
      return receiveText(draft, event);
    case "turnJudged":
      return receiveJudgement(draft, event);
    case "replyReady":
      return receiveReply(draft);
    case "hearingLost":
      return loseHearing(draft, event.isFatal, event.detail);
    case "speechStarted":
      return beginSpeech(draft, event.speechId);
    case "speechEnded":
      return endSpeech(draft, event);
    case "speechFailed":
      return failSpeech(draft, event);
    case "key":
      return pressKey(draft, event.digit);
    case "instructed":
      return event.speak ? receiveInstruction(draft, event.text) : renewReply(draft);
    case "toolAnswered":
      state.hasNews = true;
      return sayNext(draft);
    case "timer":
      return wake(draft);
    case "hangup":
      return end(draft, event.reason, event.detail);
  }
}

function start(draft: Draft): void {
  const { state, atMs } = draft;
  state.phase = "running";
  state.lastActivityMs = atMs;
  state.maxDurationAtMs = atMs + state.settings.maxDurationMs;
  if (state.settings.startSpeaker !== "agent" || !state.settings.hasGreeting) return;
  state.isGreetingDue = true;
  if (state.settings.firstMessageDelayMs > 0) state.greetingAtMs = atMs + state.settings.firstMessageDelayMs;
  else greet(draft);
}

function wake(draft: Draft): void {
  const { state, atMs } = draft;
  if (atMs >= state.maxDurationAtMs) return end(draft, "max_duration", undefined);
  if (state.hangup !== undefined && atMs >= state.hangup.atMs) {
    return end(draft, state.hangup.reason, state.hangup.detail);
  }
  if (atMs >= unheardAt(state)) return hurryPaused(draft);
  if (atMs >= flushDeadlineAt(state)) return missFlush(draft);
  if (atMs >= keysDueAt(state)) return finishKeys(draft);
  if (atMs >= Math.min(prepareAt(state), endpointAt(state))) return considerEnd(draft);
  if (atMs >= state.greetingAtMs && state.utterance === undefined) return greet(draft);
  if (atMs >= silenceAt(state)) return end(draft, "silence_timeout", undefined);
  if (atMs >= reminderAt(state)) speak(draft, { type: "reminder" });
}
