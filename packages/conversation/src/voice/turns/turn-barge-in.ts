import type { HeardText } from "../../providers/speech-to-text.ts";
import { makeWay } from "./turn-agent.ts";
import type { Draft } from "./turn-draft.ts";
import { type InterruptionRules, interrupts, isCommand } from "./turn-interruption.ts";
import { IDLE, type TurnSettings, type TurnState, type Utterance } from "./turn-state.ts";
import { flush } from "./turn-utterance.ts";

/** Of the speech that stops the agent; who says less has said nothing. */
const COMMAND_SHARE = 0.5;

export function interruptWhenLongEnough(draft: Draft): void {
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
  const { content } = agent;
  if (content.type !== "reply" && content.type !== "instruction") return;
  if (interruptingMs(utterance) < settings.interruptionThresholdMs) return;
  draft.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  draft.state.owesReply ||= content.type === "reply" || content.turn !== undefined;
  if (content.type === "instruction") draft.state.instructions = [content.text, ...draft.state.instructions];
  draft.state.agent = IDLE;
}

/** The text of what the caller said into a paused speech is there: it stops, or goes on. */
export function settleInterruption(draft: Draft, heard: HeardText, agentText: string): void {
  const { settings, utterance } = draft.state;
  const voicedMs = utterance === undefined ? 0 : interruptingMs(utterance);
  if (interrupts({ ...heard, voicedMs }, rulesOf(settings), agentText)) stopSpeech(draft, agentText);
  else resumePaused(draft);
}

/** Whether what the caller said into the agent's speech may be a command, too short to have paused it. */
export function mayBeCommand({ agent, settings, utterance }: TurnState): boolean {
  if (agent.phase !== "speaking" || settings.disableInterruptions || utterance === undefined) return false;
  return interruptingMs(utterance) >= settings.interruptionThresholdMs * COMMAND_SHARE;
}

/** The text of something short that did not pause the agent is there. */
export function obeyCommand(draft: Draft, heard: HeardText, agentText: string): void {
  const { agent, settings } = draft.state;
  if (agent.phase !== "speaking" || agent.lastWords !== undefined) return;
  if (isCommand(heard, rulesOf(settings), agentText)) stopSpeech(draft, agentText);
}

function rulesOf(settings: TurnSettings): InterruptionRules {
  const { language, interruptionIgnoreWords: ignoreWords, minInterruptionWords: minWords } = settings;
  return { language, ignoreWords, minWords };
}

/** What was heard of it is still what the caller answers: who is asked for a number may begin before the end of the question. */
function stopSpeech(draft: Draft, agentText: string): void {
  const { agent } = draft.state;
  if (agent.phase === "idle") return;
  draft.state.agentText = agentText;
  draft.effects.push({ type: "stopSpeech", speechId: agent.speechId });
  draft.state.agent = IDLE;
}

export function resumePaused(draft: Draft): void {
  const { agent, utterance } = draft.state;
  if (agent.phase === "idle") return;
  draft.effects.push({ type: "resumeSpeech", speechId: agent.speechId });
  draft.state.agent = { ...agent, pausedAtMs: undefined, falsePauses: agent.falsePauses + 1 };
  makeWay(draft);
  if (utterance === undefined) return;
  draft.state.utterance = { ...utterance, voicedBeforeMs: utterance.voicedMs };
}

/** What was said into a paused speech is still not known. */
export function hurryPaused(draft: Draft): void {
  const { utterance } = draft.state;
  if (utterance === undefined) return;
  if (utterance.flush === undefined) flush(draft);
  else stopSpeech(draft, "");
}

function interruptingMs(utterance: Utterance): number {
  return utterance.voicedMs - utterance.voicedBeforeMs;
}
