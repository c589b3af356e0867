import type { HeardText } from "../../providers/speech-to-text.ts";
import { yieldToInstruction } from "./turn-agent.ts";
import type { TurnTransition } from "./turn-transition.ts";
import { type InterruptionRules, interrupts, isCommand } from "./turn-interruption.ts";
import { IDLE, type TurnSettings, type TurnState, type CallerUtterance } from "./turn-state.ts";
import { flush } from "./turn-utterance.ts";

/** Of the speech that stops the agent; who says less has said nothing. */
const COMMAND_SHARE = 0.5;

export function interruptWhenLongEnough(transition: TurnTransition): void {
  const { agent, settings, utterance } = transition.state;
  if (agent.phase === "idle" || agent.lastWords !== undefined || utterance === undefined) return;
  if (agent.phase === "speaking") {
    if (settings.disableInterruptions || agent.pausedAtMs !== undefined) return;
    if (interruptingMs(utterance) < settings.interruptionThresholdMs * 2 ** agent.falsePauses) return;
    // What was asked for before has none of the words that count now.
    transition.state.utterance = { ...utterance, flush: undefined };
    transition.state.agent = { ...agent, pausedAtMs: transition.atMs };
    transition.effects.push({ type: "pauseSpeech", speechId: agent.speechId });
    return;
  }
  // Nobody barges into a greeting that has not begun: it is said whatever the caller says first.
  const { content } = agent;
  if (content.type !== "reply" && content.type !== "instruction") return;
  if (interruptingMs(utterance) < settings.interruptionThresholdMs) return;
  transition.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  transition.state.isReplyPending ||= content.type === "reply" || content.turn !== undefined;
  if (content.type === "instruction")
    transition.state.instructions = [content.text, ...transition.state.instructions];
  transition.state.agent = IDLE;
}

/** The text of what the caller said into a paused speech is there: it stops, or goes on. */
export function resolveInterruption(transition: TurnTransition, heard: HeardText, agentText: string): void {
  const { settings, utterance } = transition.state;
  const voicedMs = utterance === undefined ? 0 : interruptingMs(utterance);
  if (interrupts({ ...heard, voicedMs }, toInterruptionRules(settings), agentText))
    stopSpeech(transition, agentText);
  else resumePaused(transition);
}

/** Whether what the caller said into the agent's speech may be a command, too short to have paused it. */
export function mayBeCommand({ agent, settings, utterance }: TurnState): boolean {
  if (agent.phase !== "speaking" || settings.disableInterruptions || utterance === undefined) return false;
  return interruptingMs(utterance) >= settings.interruptionThresholdMs * COMMAND_SHARE;
}

/** The text of something short that did not pause the agent is there. */
export function obeyCommand(transition: TurnTransition, heard: HeardText, agentText: string): void {
  const { agent, settings } = transition.state;
  if (agent.phase !== "speaking" || agent.lastWords !== undefined) return;
  if (isCommand(heard, toInterruptionRules(settings), agentText)) stopSpeech(transition, agentText);
}

function toInterruptionRules(settings: TurnSettings): InterruptionRules {
  const { language, interruptionIgnoreWords: ignoreWords, minInterruptionWords: minWords } = settings;
  return { language, ignoreWords, minWords };
}

/** What was heard of it is still what the caller answers: who is asked for a number may begin before the end of the question. */
function stopSpeech(transition: TurnTransition, agentText: string): void {
  const { agent } = transition.state;
  if (agent.phase === "idle") return;
  transition.state.agentText = agentText;
  transition.effects.push({ type: "stopSpeech", speechId: agent.speechId });
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

/** What was said into a paused speech is still not known. */
export function resolvePausedSpeech(transition: TurnTransition): void {
  const { utterance } = transition.state;
  if (utterance === undefined) return;
  if (utterance.flush === undefined) flush(transition);
  else stopSpeech(transition, "");
}

function interruptingMs(utterance: CallerUtterance): number {
  return utterance.voicedMs - utterance.voicedBeforeMs;
}
