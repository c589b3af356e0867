import type { VoiceAgentSettings } from "../voice-event.ts";
import type { TurnSettings } from "./turn-state.ts";

/** The turn policy's settings for an agent, with its defaults. */
export function toTurnSettings(
  agent: VoiceAgentSettings,
  endpointingDelayMs: number | undefined,
  hasAnswerModel = false,
  hasFlow = false,
): TurnSettings {
  return {
    startSpeaker: agent.startSpeaker,
    hasGreeting: hasFlow || agent.firstMessageMode === "generated" || agent.firstMessage.trim() !== "",
    firstMessageDelayMs: agent.firstMessageDelayMs,
    endpointingDelayMs,
    language: agent.language,
    interruptionThresholdMs: agent.interruptionThresholdMs,
    disableInterruptions: agent.disableInterruptions,
    interruptionIgnoreWords: agent.interruptionIgnoreWords ?? [],
    ignoresBackchannels: agent.ignoresBackchannels ?? true,
    minInterruptionWords: agent.minInterruptionWords ?? 0,
    turnTimeoutMs: (agent.turnTimeoutSeconds ?? Infinity) * 1000,
    silenceLimitMs: agent.silenceEndCallTimeoutSeconds * 1000,
    maxDurationMs: agent.maxConversationDurationSeconds * 1000,
    ...(agent.voicemail && {
      voicemail: { leavesMessage: agent.voicemail.message.trim() !== "", hasModel: hasAnswerModel },
    }),
  };
}
