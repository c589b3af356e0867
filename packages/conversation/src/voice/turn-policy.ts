import {
  endpointAt,
  FLUSH_DEADLINE_MS,
  flushDeadlineAt,
  isPaused,
  nextWake,
  reminderAt,
  silenceAt,
  unheardAt,
} from "./turn-deadlines.ts";
import { endpointingDelayMs, isLikelyWhole, withPause } from "./turn-endpointing.ts";
import { interrupts, isEcho } from "./turn-interruption.ts";
import {
  IDLE,
  type CallerTurn,
  type SpeechContent,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
  type TurnStep,
  type Utterance,
} from "./turn-state.ts";
import type { VoiceEndReason } from "./voice-event.ts";

/** Windows with at least this probability begin speech, … */
const ONSET_PROBABILITY = 0.5;
/** … this many in a row: one alone is as often a click. */
const ONSET_WINDOWS = 2;
/** Below this a window is silent; between the two it goes on as it was. */
const OFFSET_PROBABILITY = 0.35;
const WINDOW_MS = 32;
/** Recognisers lose the first and last word of audio that is trimmed closer than 300 ms (measured: Moonshine). */
const PRE_ROLL_MS = 320;
/** A pause this long asks for the text ahead of the end of the turn, so that it is there by then. */
const FLUSH_PAUSE_MS = 96;
/** A pause this long parts two knocks that are none of them an interruption. */
const KNOCK_PAUSE_MS = 200;
/** The far end's jitter buffer still plays the goodbye after its last packet was sent. */
const HANGUP_TAIL_MS = 240;

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

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** One step under way: a copy of the state to change, and the effects so far. */
class Draft {
  readonly state: Writable<TurnState>;
  readonly atMs: number;
  readonly effects: TurnEffect[] = [];

  constructor(state: TurnState, atMs: number) {
    this.state = { ...state };
    if (state.wakeAtMs <= atMs) this.state.wakeAtMs = Infinity;
    this.atMs = atMs;
  }

  finish(): TurnStep {
    const wakeAtMs = nextWake(this.state);
    if (wakeAtMs !== this.state.wakeAtMs) {
      this.state.wakeAtMs = wakeAtMs;
      this.effects.push({ type: "wakeAt", atMs: wakeAtMs });
    }
    return { state: this.state, effects: this.effects };
  }
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
    case "hearingLost":
      return loseHearing(draft, event.isFatal, event.detail);
    case "speechStarted":
      return beginSpeech(draft, event.speechId);
    case "speechEnded":
      return endSpeech(draft, event);
    case "speechFailed":
      return failSpeech(draft, event);
    case "key":
      state.lastActivityMs = event.atMs;
      return;
    case "toolAnswered":
      state.hasNews = true;
      return tellNews(draft);
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

function greet(draft: Draft): void {
  draft.state.isGreetingDue = false;
  draft.state.greetingAtMs = Infinity;
  speak(draft, { type: "greeting" });
}

// ─── the caller ───

function hearWindow(draft: Draft, windowEndMs: number, probability: number): void {
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

function resume(utterance: Utterance, windowEndMs: number, voicedMs: number): Utterance {
  const resumed = { ...addVoice(utterance, windowEndMs, voicedMs), flush: undefined };
  // Single knocks, one after the other, do not add up to an interruption.
  const isAfterPause = windowEndMs - voicedMs - utterance.lastVoiceMs >= KNOCK_PAUSE_MS;
  return isAfterPause ? { ...resumed, voicedBeforeMs: utterance.voicedMs } : resumed;
}

function addVoice(utterance: Utterance, windowEndMs: number, voicedMs: number): Utterance {
  return { ...utterance, lastVoiceMs: windowEndMs, voicedMs: utterance.voicedMs + voicedMs };
}

function interruptWhenLongEnough(draft: Draft): void {
  const { agent, settings, utterance } = draft.state;
  if (agent.phase === "idle" || agent.lastWords !== undefined || utterance === undefined) return;
  if (agent.phase === "speaking") {
    if (settings.disableInterruptions || agent.pausedAtMs !== undefined) return;
    if (interruptingMs(utterance) < settings.interruptionThresholdMs * 2 ** agent.falsePauses) return;
    // What was asked for before has none of the words that count now.
    draft.state.utterance = { ...utterance, flush: undefined };
    draft.state.agent = { ...agent, pausedAtMs: draft.atMs };
    draft.effects.push({ type: "pauseSpeech", speechId: agent.speechId });
    return;
  }
  // Nobody barges into a greeting that has not begun: it is said whatever the caller says first.
  if (agent.content.type !== "reply" || interruptingMs(utterance) < settings.interruptionThresholdMs) return;
  draft.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  draft.state.owesReply = true;
  draft.state.agent = IDLE;
}

/** The text of what the caller said into a paused speech is there: it stops, or goes on. */
function settleInterruption(draft: Draft, text: string, agentText: string): void {
  const { settings } = draft.state;
  const rules = {
    language: settings.language,
    ignoreWords: settings.interruptionIgnoreWords,
    minWords: settings.minInterruptionWords,
  };
  if (interrupts(text, rules, agentText)) stopPaused(draft);
  else resumePaused(draft);
}

function stopPaused(draft: Draft): void {
  const { agent } = draft.state;
  if (agent.phase === "idle") return;
  draft.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  draft.state.agent = IDLE;
}

function resumePaused(draft: Draft): void {
  const { agent, utterance } = draft.state;
  if (agent.phase === "idle") return;
  draft.effects.push({ type: "resumeSpeech", speechId: agent.speechId });
  draft.state.agent = { ...agent, pausedAtMs: undefined, falsePauses: agent.falsePauses + 1 };
  if (utterance === undefined) return;
  draft.state.utterance = { ...utterance, voicedBeforeMs: utterance.voicedMs };
}

/** What was said into a paused speech is still not known. */
function hurryPaused(draft: Draft): void {
  const { utterance } = draft.state;
  if (utterance === undefined) return;
  if (utterance.flush === undefined) flush(draft, utterance);
  else stopPaused(draft);
}

function interruptingMs(utterance: Utterance): number {
  return utterance.voicedMs - utterance.voicedBeforeMs;
}

function flushAtPause(draft: Draft, windowEndMs: number): void {
  const { utterance, agent } = draft.state;
  // What is said into the agent's speech without stopping it is not answered, so its text is not needed.
  if (utterance === undefined || utterance.flush !== undefined) return;
  if (agent.phase !== "idle" && !isPaused(agent)) return;
  if (windowEndMs - utterance.lastVoiceMs >= FLUSH_PAUSE_MS) flush(draft, utterance);
}

function flush(draft: Draft, utterance: Utterance): void {
  const id = draft.state.lastFlushId + 1;
  draft.state.lastFlushId = id;
  draft.state.utterance = { ...utterance, flush: { id, askedAtMs: draft.atMs, answer: undefined } };
  draft.effects.push({ type: "flush", flushId: id });
}

function receiveText(draft: Draft, event: TurnEvent & { type: "transcribed" }): void {
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

function dropPrepared(draft: Draft): void {
  if (draft.state.preparedText === undefined) return;
  draft.state.preparedText = undefined;
  draft.effects.push({ type: "dropReply" });
}

/** The caller was silent for as long as ends a turn. */
function reachEndpoint(draft: Draft): void {
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

/** What the caller says before the greeting does not replace it: it may hold what the law wants to be said. */
function greetWhenDue(draft: Draft): void {
  if (draft.state.greetingAtMs <= draft.atMs) greet(draft);
}

function forgetUtterance(draft: Draft): void {
  draft.state.utterance = undefined;
  draft.effects.push({ type: "endUtterance" });
}

function loseHearing(draft: Draft, isFatal: boolean, detail: string): void {
  const { state } = draft;
  dropPrepared(draft);
  const wasListening = state.utterance !== undefined && state.agent.phase === "idle";
  state.utterance = undefined;
  if (isFatal) return endWithApology(draft, "error_stt", detail);
  if (isPaused(state.agent)) return resumePaused(draft);
  if (wasListening) speak(draft, { type: "phrase", phrase: "repeatRequest" });
}

// ─── the agent ───

function speak(draft: Draft, content: SpeechContent): void {
  const { preparedText } = draft.state;
  const isReply = content.type === "reply";
  if (isReply && preparedText !== undefined && content.turn?.text === preparedText) {
    draft.state.preparedText = undefined;
  } else {
    dropPrepared(draft);
    if (isReply) draft.state.hasNews = false;
  }
  const speechId = draft.state.lastSpeechId + 1;
  draft.state.lastSpeechId = speechId;
  draft.state.agent = {
    phase: "thinking",
    speechId,
    content,
    pausedAtMs: undefined,
    falsePauses: 0,
    lastWords: undefined,
  };
  draft.state.agentText = "";
  draft.effects.push({ type: "speak", speechId, content });
}

/** What tools have answered is told as soon as nobody speaks; what the caller says meanwhile is answered with it. */
function tellNews(draft: Draft): void {
  const { hasNews, agent, utterance, isGreetingDue, hangup } = draft.state;
  if (!hasNews || agent.phase !== "idle" || utterance !== undefined || isGreetingDue) return;
  if (hangup === undefined) speak(draft, { type: "reply", turn: undefined });
}

function beginSpeech({ state }: Draft, speechId: number): void {
  if (state.agent.phase !== "thinking" || state.agent.speechId !== speechId) return;
  state.agent = { ...state.agent, phase: "speaking" };
  const { utterance } = state;
  if (utterance !== undefined) state.utterance = { ...utterance, voicedBeforeMs: utterance.voicedMs };
}

function endSpeech(draft: Draft, event: TurnEvent & { type: "speechEnded" }): void {
  const { state, atMs } = draft;
  const { agent } = state;
  if (agent.phase === "idle" || agent.speechId !== event.speechId) return;
  state.agent = IDLE;
  state.agentText = event.text;
  state.agentSpokeAtMs = atMs;
  if (agent.content.type !== "reminder") state.lastActivityMs = atMs;
  const last =
    agent.lastWords ??
    (event.endsConversation ? { reason: "agent_hangup" as const, detail: undefined } : undefined);
  if (last === undefined) return tellNews(draft);
  state.hangup = { ...last, atMs: atMs + (agent.phase === "speaking" ? HANGUP_TAIL_MS : 0) };
}

function failSpeech(draft: Draft, event: TurnEvent & { type: "speechFailed" }): void {
  const { agent } = draft.state;
  if (agent.phase === "idle" || agent.speechId !== event.speechId) return;
  draft.state.agent = IDLE;
  if (agent.lastWords !== undefined) return end(draft, agent.lastWords.reason, agent.lastWords.detail);
  if (event.part === "tts" && event.canApologize !== true) return end(draft, "error_tts", event.detail);
  endWithApology(draft, event.part === "tts" ? "error_tts" : "error_llm", event.detail);
}

function endWithApology(draft: Draft, reason: VoiceEndReason, detail: string): void {
  const { state } = draft;
  if (state.agent.phase !== "idle") {
    if (state.agent.lastWords !== undefined) return;
    draft.effects.push({ type: "stopSpeech", speechId: state.agent.speechId });
  }
  speak(draft, { type: "phrase", phrase: "apology" });
  if (state.agent.phase !== "idle") state.agent = { ...state.agent, lastWords: { reason, detail } };
}

function end(draft: Draft, reason: VoiceEndReason, detail: string | undefined): void {
  const { state } = draft;
  if (state.agent.phase !== "idle") {
    draft.effects.push({ type: "stopSpeech", speechId: state.agent.speechId });
  }
  state.phase = "ended";
  state.agent = IDLE;
  state.utterance = undefined;
  draft.effects.push(detail === undefined ? { type: "end", reason } : { type: "end", reason, detail });
}

// ─── time ───

function wake(draft: Draft): void {
  const { state, atMs } = draft;
  if (atMs >= state.maxDurationAtMs) return end(draft, "max_duration", undefined);
  if (state.hangup !== undefined && atMs >= state.hangup.atMs) {
    return end(draft, state.hangup.reason, state.hangup.detail);
  }
  if (atMs >= unheardAt(state)) return hurryPaused(draft);
  if (atMs >= flushDeadlineAt(state)) return missFlush(draft);
  if (atMs >= endpointAt(state)) return reachEndpoint(draft);
  if (atMs >= state.greetingAtMs && state.utterance === undefined) return greet(draft);
  if (atMs >= silenceAt(state)) return end(draft, "silence_timeout", undefined);
  if (atMs >= reminderAt(state)) speak(draft, { type: "reminder" });
}

function missFlush(draft: Draft): void {
  const { utterance, missedFlushes } = draft.state;
  if (utterance === undefined) return;
  draft.state.missedFlushes = missedFlushes + 1;
  if (missedFlushes === 0) return flush(draft, utterance);
  forgetUtterance(draft);
  endWithApology(draft, "error_stt", `no text within ${FLUSH_DEADLINE_MS} ms, twice`);
}
