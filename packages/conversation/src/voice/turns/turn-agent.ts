import type { Draft } from "./turn-draft.ts";
import { enterKeys } from "./turn-keys.ts";
import { type CallerTurn, IDLE, type SpeechContent, type TurnEvent, type TurnState } from "./turn-state.ts";
import type { VoiceEndReason } from "../voice-event.ts";

/** The far end's jitter buffer still plays the goodbye after its last packet was sent. */
const HANGUP_TAIL_MS = 240;

export function greet(draft: Draft): void {
  draft.state.isGreetingDue = false;
  draft.state.greetingAtMs = Infinity;
  speak(draft, { type: "greeting" });
}

/** What the caller says before the greeting does not replace it: it may hold what the law wants to be said. */
export function greetWhenDue(draft: Draft): void {
  if (draft.state.greetingAtMs <= draft.atMs) greet(draft);
}

export function speak(draft: Draft, content: SpeechContent): void {
  const { preparedText } = draft.state;
  const isReply = content.type === "reply";
  if (isReply && preparedText !== undefined && content.turn?.text === preparedText) {
    draft.state.preparedText = undefined;
    draft.state.isReplyReady = false;
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

export function dropPrepared(draft: Draft): void {
  if (draft.state.preparedText === undefined) return;
  draft.state.preparedText = undefined;
  draft.state.isReplyReady = false;
  draft.effects.push({ type: "dropReply" });
}

/**
 * What instructions ask for, and then what tools have answered, is said as soon as nobody speaks; what the caller says
 * meanwhile is answered with it.
 */
export function sayNext(draft: Draft): void {
  const { hasNews, agent, utterance, keys, isGreetingDue, hangup } = draft.state;
  if (agent.phase !== "idle" || isGreetingDue || hangup !== undefined) return;
  if (utterance !== undefined || keys !== undefined) return;
  if (speakInstruction(draft, undefined)) return;
  if (hasNews) speak(draft, { type: "reply", turn: undefined });
}

/** Whether anything that is asked of the agent still comes to pass. */
export function isAgentListening({ phase, hangup, agent }: TurnState): boolean {
  const isLastWords = agent.phase !== "idle" && agent.lastWords !== undefined;
  return phase === "running" && hangup === undefined && !isLastWords;
}

/** Something is to be said now: what is being said ends with its sentence, what is only being thought of makes way. */
export function receiveInstruction(draft: Draft, text: string): void {
  const { state } = draft;
  if (!isAgentListening(state)) return;
  state.instructions = [...state.instructions, text];
  dropPrepared(draft);
  const { agent, utterance } = state;
  if (agent.phase !== "thinking") return agent.phase === "idle" ? sayNext(draft) : makeWay(draft);
  // The greeting is said to its end, and so is an instruction.
  const { content, speechId } = agent;
  if (content.type !== "reply" && content.type !== "reminder") return;
  draft.effects.push({ type: "stopSpeech", speechId });
  state.agent = IDLE;
  const turn = content.type === "reply" ? content.turn : undefined;
  if (turn !== undefined && utterance === undefined) {
    speakInstruction(draft, turn);
    return;
  }
  state.hasNews ||= content.type === "reply";
  sayNext(draft);
}

/** The first that waits; false where none does. */
export function speakInstruction(draft: Draft, turn: CallerTurn | undefined): boolean {
  const [text, ...later] = draft.state.instructions;
  if (text === undefined) return false;
  draft.state.instructions = later;
  speak(draft, { type: "instruction", text, turn });
  return true;
}

/** Ends the speech with its sentence where an instruction waits; one that is paused may end by itself. */
export function makeWay(draft: Draft): void {
  const { agent, instructions } = draft.state;
  if (instructions.length === 0 || agent.phase !== "speaking" || agent.pausedAtMs !== undefined) return;
  if (agent.content.type === "instruction" || agent.lastWords !== undefined) return;
  draft.effects.push({ type: "finishSentence", speechId: agent.speechId });
}

export function beginSpeech({ state }: Draft, speechId: number): void {
  if (state.agent.phase !== "thinking" || state.agent.speechId !== speechId) return;
  state.agent = { ...state.agent, phase: "speaking" };
  const { utterance } = state;
  if (utterance !== undefined) state.utterance = { ...utterance, voicedBeforeMs: utterance.voicedMs };
}

export function endSpeech(draft: Draft, event: TurnEvent & { type: "speechEnded" }): void {
  const { state, atMs } = draft;
  const { agent } = state;
  if (agent.phase === "idle" || agent.speechId !== event.speechId) return;
  state.agent = IDLE;
  state.agentText = event.text;
  state.agentSpokeAtMs = atMs;
  if (agent.content.type !== "reminder") state.lastActivityMs = atMs;
  const last =
    agent.lastWords ??
    (event.endsConversation && state.instructions.length === 0
      ? { reason: "agent_hangup" as const, detail: undefined }
      : undefined);
  if (last === undefined) return sayNext(draft);
  state.hangup = { ...last, atMs: atMs + (agent.phase === "speaking" ? HANGUP_TAIL_MS : 0) };
}

export function failSpeech(draft: Draft, event: TurnEvent & { type: "speechFailed" }): void {
  const { agent } = draft.state;
  if (agent.phase === "idle" || agent.speechId !== event.speechId) return;
  draft.state.agent = IDLE;
  if (agent.lastWords !== undefined) return end(draft, agent.lastWords.reason, agent.lastWords.detail);
  if (event.part === "tts" && event.canApologize !== true) return end(draft, "error_tts", event.detail);
  endWithApology(draft, event.part === "tts" ? "error_tts" : "error_llm", event.detail);
}

export function endWithApology(draft: Draft, reason: VoiceEndReason, detail: string): void {
  const { state } = draft;
  if (state.agent.phase !== "idle") {
    if (state.agent.lastWords !== undefined) return;
    draft.effects.push({ type: "stopSpeech", speechId: state.agent.speechId });
  }
  speak(draft, { type: "phrase", phrase: "apology" });
  if (state.agent.phase !== "idle") state.agent = { ...state.agent, lastWords: { reason, detail } };
}

export function end(draft: Draft, reason: VoiceEndReason, detail: string | undefined): void {
  const { state } = draft;
  enterKeys(draft);
  if (state.agent.phase !== "idle") {
    draft.effects.push({ type: "stopSpeech", speechId: state.agent.speechId });
  }
  state.phase = "ended";
  state.agent = IDLE;
  state.utterance = undefined;
  draft.effects.push(detail === undefined ? { type: "end", reason } : { type: "end", reason, detail });
}
