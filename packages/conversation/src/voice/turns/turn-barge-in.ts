import type { HeardText } from "../../providers/speech-to-text.ts";
import { yieldToInstruction } from "./turn-agent.ts";
import type { TurnTransition } from "./turn-transition.ts";
import { type InterruptionRules, interrupts, isCommand } from "./turn-interruption.ts";
import { IDLE, type TurnSettings, type TurnState, type CallerUtterance } from "./turn-state.ts";
import { flush } from "./turn-utterance.ts";

/** Share of the interruption threshold that a one-word command must last; anything shorter is not transcribed. */
const COMMAND_SHARE = 0.5;

export function interruptWhenLongEnough(transition: TurnTransition): void {
  const { agent, settings, utterance } = transition.state;
  if (agent.phase === "idle" || agent.lastWords !== undefined || utterance === undefined) return;
  if (agent.phase === "speaking") {
    if (settings.disableInterruptions || agent.pausedAtMs !== undefined) return;
    if (interruptingMs(utterance) < settings.interruptionThresholdMs * 2 ** agent.falsePauses) return;
    // A text requested earlier lacks the words that count now.
    transition.state.utterance = { ...utterance, flush: undefined, isGreeted: false };
    transition.state.agent = { ...agent, pausedAtMs: transition.atMs };
    transition.effects.push({ type: "pauseSpeech", speechId: agent.speechId });
    return;
  }
  // A greeting that has not begun cannot be interrupted: it is spoken even if the caller speaks first.
  const { content } = agent;
  if (content.type !== "reply" && content.type !== "instruction") return;
  if (interruptingMs(utterance) < settings.interruptionThresholdMs) return;
  transition.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  transition.state.isReplyPending ||= content.type === "reply" || content.turn !== undefined;
  if (content.type === "instruction")
    transition.state.instructions = [content.text, ...transition.state.instructions];
  transition.state.agent = IDLE;
}

/** Decides, from the text of what the caller said into a paused speech, whether the speech stops or resumes. */
export function resolveInterruption(transition: TurnTransition, heard: HeardText, agentText: string): void {
  const { settings, utterance } = transition.state;
  const voicedMs = utterance === undefined ? 0 : interruptingMs(utterance);
  if (interrupts({ ...heard, voicedMs }, toInterruptionRules(settings), agentText))
    stopSpeech(transition, agentText);
  else resumePaused(transition);
}

/** Whether the caller's speech over the agent may be a command too short to have paused the agent. */
export function mayBeCommand({ agent, settings, utterance }: TurnState): boolean {
  if (agent.phase !== "speaking" || settings.disableInterruptions || utterance === undefined) return false;
  return interruptingMs(utterance) >= settings.interruptionThresholdMs * COMMAND_SHARE;
}

/** Stops the speech if the text of a short utterance over it is a command. */
export function obeyCommand(transition: TurnTransition, heard: HeardText, agentText: string): void {
  const { agent, settings } = transition.state;
  if (agent.phase !== "speaking" || agent.lastWords !== undefined) return;
  if (isCommand(heard, toInterruptionRules(settings), agentText)) stopSpeech(transition, agentText);
}

function toInterruptionRules(settings: TurnSettings): InterruptionRules {
  const { language, interruptionIgnoreWords: ignoreWords, minInterruptionWords: minWords } = settings;
  return { language, ignoreWords, minWords, ignoresBackchannels: settings.ignoresBackchannels !== false };
}

/**
 * Stops the speech. Its heard part stays the context of the caller's turn: callers may answer before the question ends.
 */
function stopSpeech(transition: TurnTransition, agentText: string): void {
  const { agent } = transition.state;
  if (agent.phase === "idle") return;
  transition.state.agentText = agentText;
  transition.effects.push({ type: "stopSpeech", speechId: agent.speechId, isInterruption: true });
  transition.state.agent = IDLE;
}

export function resumePaused(transition: TurnTransition): void {
  const { agent, utterance } = transition.state;
  if (agent.phase === "idle") return;
  transition.effects.push({ type: "resumeSpeech", speechId: agent.speechId });
  transition.state.agent = { ...agent, pausedAtMs: undefined, falsePauses: agent.falsePauses + 1 };
  yieldToInstruction(transition);
  if (utterance === undefined) return;
  transition.state.utterance = { ...utterance, voicedBeforeMs: utterance.voicedMs };
}

/**
 * Acts when the words spoken into a paused speech are still unknown: requests the text, or stops the speech if the
 * request went unanswered.
 */
export function resolvePausedSpeech(transition: TurnTransition): void {
  const { utterance } = transition.state;
  if (utterance === undefined) return;
  if (utterance.flush === undefined) flush(transition);
  else stopSpeech(transition, "");
}

function interruptingMs(utterance: CallerUtterance): number {
  return utterance.voicedMs - utterance.voicedBeforeMs;
}
