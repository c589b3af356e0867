import type { Draft } from "./turn-draft.ts";
import { IDLE, type SpeechContent, type TurnEvent } from "./turn-state.ts";
import type { VoiceEndReason } from "./voice-event.ts";

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

/** What tools have answered is told as soon as nobody speaks; what the caller says meanwhile is answered with it. */
export function tellNews(draft: Draft): void {
  const { hasNews, agent, utterance, isGreetingDue, hangup } = draft.state;
  if (!hasNews || agent.phase !== "idle" || utterance !== undefined || isGreetingDue) return;
  if (hangup === undefined) speak(draft, { type: "reply", turn: undefined });
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
    (event.endsConversation ? { reason: "agent_hangup" as const, detail: undefined } : undefined);
  if (last === undefined) return tellNews(draft);
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
  if (state.agent.phase !== "idle") {
    draft.effects.push({ type: "stopSpeech", speechId: state.agent.speechId });
  }
  state.phase = "ended";
  state.agent = IDLE;
  state.utterance = undefined;
  draft.effects.push(detail === undefined ? { type: "end", reason } : { type: "end", reason, detail });
}
