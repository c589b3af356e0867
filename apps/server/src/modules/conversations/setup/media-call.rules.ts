import type { MediaCall } from "../../../media/media-protocol.ts";
import type { AgentDocument } from "../../agents/agent-document.rules.ts";
import { renderTemplate, type Variables } from "./variables.rules.ts";
import { renderTool } from "./webhook-tool.rules.ts";

/** What the agent says first: in a call that it places it may be something else. Null: it waits. */
export function firstMessageOf(document: AgentDocument, direction: "inbound" | "outbound"): string | null {
  const { firstMessage, firstMessageOutbound } = document;
  return direction === "outbound" ? (firstMessageOutbound ?? firstMessage) : firstMessage;
}

/**
 * What a media process is told of a call: the agent's document with its variables filled in. `variables` are the
 * conversation's own and the built-in ones.
 */
export function toMediaCall(
  conversation: MediaCall["conversation"] & { callId: string },
  document: AgentDocument,
  variables: Variables,
): { call: Omit<MediaCall, "sampleRateHz">; unknownVariables: string[] } {
  const instructions = renderTemplate(document.promptTemplate, variables);
  const firstMessage = renderTemplate(document.firstMessage ?? "", variables);
  const tools = document.customTools
    .filter(({ enabled }) => enabled)
    .map((tool) => renderTool(tool, variables));
  const rendered = [instructions, firstMessage, ...tools];
  return {
    unknownVariables: [...new Set(rendered.flatMap(({ unknownNames }) => unknownNames))],
    call: {
      callId: conversation.callId,
      conversation,
      tools: tools.map(({ tool }) => tool),
      instructions: instructions.text,
      llmModel: document.llmModel,
      llmTemperature: document.llmTemperature,
      llmReasoningEffort: document.llmReasoningEffort,
      endCall: toEndCall(document),
      keypad: toKeypad(document),
      fallbackVoiceId: document.fallbackVoiceId ?? undefined,
      hasNoiseSuppression: document.noiseCancellation === "on",
      isRecorded: document.recordingEnabled,
      agent: {
        firstMessage: firstMessage.text,
        firstMessageMode: document.firstMessageMode,
        firstMessageDelayMs: document.firstMessageDelayMs,
        startSpeaker: document.startSpeaker,
        turnTimeoutSeconds: document.turnTimeoutSeconds,
        silenceEndCallTimeoutSeconds: document.silenceEndCallTimeoutSeconds,
        maxConversationDurationSeconds: document.maxConversationDurationSeconds,
        disableInterruptions: document.disableInterruptions,
        interruptionThresholdMs: document.interruptionThresholdMs,
        interruptionIgnoreWords: document.interruptionIgnoreWords,
        minInterruptionWords: document.minInterruptionWords,
        language: document.language,
        voice: document.voiceId ?? "",
        voiceSpeed: document.voiceSpeed,
        sttKeyterms: document.sttKeyterms,
      },
    },
  };
}

function toEndCall({ endCallEnabled, endCallRulesOverride }: AgentDocument): MediaCall["endCall"] {
  if (!endCallEnabled) return undefined;
  return endCallRulesOverride === null ? {} : { rules: endCallRulesOverride };
}

function toKeypad(document: AgentDocument): MediaCall["keypad"] {
  const { playKeypadTouchToneEnabled, playKeypadTouchToneDescriptionOverride: rules } = document;
  if (!playKeypadTouchToneEnabled) return undefined;
  return rules === null ? {} : { rules };
}
