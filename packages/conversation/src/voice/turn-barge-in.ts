import { makeWay } from "./turn-agent.ts";
import type { Draft } from "./turn-draft.ts";
import { interrupts } from "./turn-interruption.ts";
import { IDLE, type Utterance } from "./turn-state.ts";
import { flush } from "./turn-utterance.ts";

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
export function settleInterruption(draft: Draft, text: string, agentText: string): void {
  const { settings } = draft.state;
  const rules = {
    language: settings.language,
    ignoreWords: settings.interruptionIgnoreWords,
    minWords: settings.minInterruptionWords,
  };
  const { utterance } = draft.state;
  const voicedMs = utterance === undefined ? 0 : interruptingMs(utterance);
  if (interrupts({ text, voicedMs }, rules, agentText)) stopPaused(draft);
  else resumePaused(draft);
}

function stopPaused(draft: Draft): void {
  const { agent } = draft.state;
  if (agent.phase === "idle") return;
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
  if (utterance.flush === undefined) flush(draft, utterance);
  else stopPaused(draft);
}

function interruptingMs(utterance: Utterance): number {
  return utterance.voicedMs - utterance.voicedBeforeMs;
}
