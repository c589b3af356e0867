import type { TurnTransition } from "./turn-transition.ts";
import { enterKeys } from "./turn-keys.ts";
import {
  type CallerTurn,
  IDLE,
  isAnswerAwaited,
  type SpeechContent,
  type TurnEvent,
  type TurnState,
} from "./turn-state.ts";
import type { VoiceEndReason } from "../voice-event.ts";

/** Time for the far end's jitter buffer to play the goodbye after its last packet was sent. */
const HANGUP_TAIL_MS = 240;

export function greet(transition: TurnTransition): void {
  transition.state.isGreetingDue = false;
  transition.state.greetingAtMs = Infinity;
  speak(transition, { type: "greeting" });
}

/**
 * Speaks the greeting if its delay has passed. Caller speech does not replace the greeting, which may contain a legal
 * notice.
 */
export function greetWhenDue(transition: TurnTransition): void {
  if (transition.state.greetingAtMs <= transition.atMs) greet(transition);
}

export function speak(transition: TurnTransition, content: SpeechContent): void {
  const { preparedText } = transition.state;
  const isReply = content.type === "reply";
  if (isReply && preparedText !== undefined && content.turn?.text === preparedText) {
    transition.state.preparedText = undefined;
    transition.state.isReplyReady = false;
  } else {
    dropPrepared(transition);
    if (isReply) transition.state.hasUnreportedInput = false;
  }
  const speechId = transition.state.lastSpeechId + 1;
  transition.state.lastSpeechId = speechId;
  transition.state.agent = {
    phase: "thinking",
    speechId,
    content,
    pausedAtMs: undefined,
    falsePauses: 0,
    lastWords: undefined,
  };
  transition.state.agentText = "";
  transition.effects.push({ type: "speak", speechId, content });
}

export function dropPrepared(transition: TurnTransition): void {
  if (transition.state.preparedText === undefined) return;
  transition.state.preparedText = undefined;
  transition.state.isReplyReady = false;
  transition.effects.push({ type: "dropReply" });
}

/**
 * Speaks the next waiting instruction, or else replies to unreported input, once both sides are silent. What the caller
 * says in the meantime is answered together with it.
 */
export function speakNext(transition: TurnTransition): void {
  const { hasUnreportedInput, agent, utterance, keys, isGreetingDue, hangup } = transition.state;
  if (agent.phase !== "idle" || isGreetingDue || hangup !== undefined) return;
  if (isAnswerAwaited(transition.state)) return;
  if (utterance !== undefined || keys !== undefined) return;
  if (speakInstruction(transition, undefined)) return;
  if (hasUnreportedInput) speak(transition, { type: "reply", turn: undefined });
}

/**
 * Whether new input can still change what the agent says: false before the start, for a mailbox, and once the call is ending.
 */
export function isAgentListening({ phase, hangup, agent, voicemail }: TurnState): boolean {
  const isLastWords = agent.phase !== "idle" && agent.lastWords !== undefined;
  return phase === "running" && hangup === undefined && voicemail === undefined && !isLastWords;
}

/**
 * Takes an instruction that is to be spoken now: speech under way ends with its sentence, and a reply that is not
 * audible yet is replaced.
 */
export function receiveInstruction(transition: TurnTransition, text: string): void {
  const { state } = transition;
  if (!isAgentListening(state)) return;
  state.instructions = [...state.instructions, text];
  dropPrepared(transition);
  const { agent, utterance } = state;
  if (agent.phase !== "thinking")
    return agent.phase === "idle" ? speakNext(transition) : yieldToInstruction(transition);
  // A greeting and an earlier instruction are spoken to their end.
  const { content, speechId } = agent;
  if (content.type !== "reply" && content.type !== "reminder") return;
  transition.effects.push({ type: "stopSpeech", speechId });
  state.agent = IDLE;
  const turn = content.type === "reply" ? content.turn : undefined;
  if (turn !== undefined && utterance === undefined) {
    speakInstruction(transition, turn);
    return;
  }
  state.hasUnreportedInput ||= content.type === "reply";
  speakNext(transition);
}

/** Speaks the first waiting instruction; returns false if none waits. */
export function speakInstruction(transition: TurnTransition, turn: CallerTurn | undefined): boolean {
  const [text, ...later] = transition.state.instructions;
  if (text === undefined) return false;
  transition.state.instructions = later;
  speak(transition, { type: "instruction", text, turn });
  return true;
}

/**
 * Ends the speech with its current sentence if an instruction waits. A paused speech is left alone: it may end by
 * itself.
 */
export function yieldToInstruction(transition: TurnTransition): void {
  const { agent, instructions } = transition.state;
  if (instructions.length === 0 || agent.phase !== "speaking" || agent.pausedAtMs !== undefined) return;
  if (agent.content.type === "instruction" || agent.lastWords !== undefined) return;
  transition.effects.push({ type: "finishSentence", speechId: agent.speechId });
}

export function beginSpeech({ state }: TurnTransition, speechId: number): void {
  if (state.agent.phase !== "thinking" || state.agent.speechId !== speechId) return;
  state.agent = { ...state.agent, phase: "speaking" };
  const { utterance } = state;
  if (utterance !== undefined) state.utterance = { ...utterance, voicedBeforeMs: utterance.voicedMs };
}

export function endSpeech(transition: TurnTransition, event: TurnEvent & { type: "speechEnded" }): void {
  const { state, atMs } = transition;
  const { agent } = state;
  if (agent.phase === "idle" || agent.speechId !== event.speechId) return;
  state.agent = IDLE;
  state.agentText = event.text;
  state.agentSpokeAtMs = atMs;
  if (agent.content.type !== "reminder") state.lastActivityMs = atMs;
  if (event.hasMore === true) state.hasUnreportedInput = true;
  const last =
    agent.lastWords ??
    (event.endsConversation && state.instructions.length === 0
      ? { reason: "agent_hangup" as const, detail: undefined }
      : undefined);
  if (last === undefined) return speakNext(transition);
  state.hangup = { ...last, atMs: atMs + (agent.phase === "speaking" ? HANGUP_TAIL_MS : 0) };
}

export function failSpeech(transition: TurnTransition, event: TurnEvent & { type: "speechFailed" }): void {
  const { agent } = transition.state;
  if (agent.phase === "idle" || agent.speechId !== event.speechId) return;
  transition.state.agent = IDLE;
  if (agent.content.type === "voicemail")
    return end(transition, "voicemail", `no message was left: ${event.detail}`);
  if (agent.lastWords !== undefined) return end(transition, agent.lastWords.reason, agent.lastWords.detail);
  if (event.part === "tts" && event.canApologize !== true) return end(transition, "error_tts", event.detail);
  endWithApology(transition, event.part === "tts" ? "error_tts" : "error_llm", event.detail);
}

/** Gives up an answer that does not come, and says so. A tool goes on: its result is reported when it comes. */
export function admitNoAnswer(transition: TurnTransition, speechId: number): void {
  const { agent } = transition.state;
  if (agent.phase === "idle" || agent.speechId !== speechId || agent.lastWords !== undefined) return;
  transition.effects.push({ type: "stopSpeech", speechId });
  speak(transition, { type: "phrase", phrase: "noAnswer" });
}

export function endWithApology(transition: TurnTransition, reason: VoiceEndReason, detail: string): void {
  const { state } = transition;
  if (state.agent.phase !== "idle") {
    if (state.agent.lastWords !== undefined) return;
    transition.effects.push({ type: "stopSpeech", speechId: state.agent.speechId });
  }
  speak(transition, { type: "phrase", phrase: "apology" });
  if (state.agent.phase !== "idle") state.agent = { ...state.agent, lastWords: { reason, detail } };
}

export function end(transition: TurnTransition, reason: VoiceEndReason, detail: string | undefined): void {
  const { state } = transition;
  enterKeys(transition);
  if (state.agent.phase !== "idle") {
    const byCaller = reason === "user_hangup" ? ({ isInterruption: true } as const) : {};
    transition.effects.push({ type: "stopSpeech", speechId: state.agent.speechId, ...byCaller });
  }
  state.phase = "ended";
  state.agent = IDLE;
  state.utterance = undefined;
  transition.effects.push(detail === undefined ? { type: "end", reason } : { type: "end", reason, detail });
}
