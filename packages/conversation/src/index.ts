/**
 * Turns what a person says into what an agent says: the dialogue, the turn-taking around it, the provider interfaces.
 *
 * @module conversation
 */
export * from "./providers/language-model.ts";
export * from "./providers/noise-suppression.ts";
export * from "./providers/provider-error.ts";
export * from "./providers/speech-to-text.ts";
export * from "./providers/text-to-speech.ts";
export * from "./providers/turn-end.ts";
export * from "./providers/voice-activity.ts";
export { Dialogue } from "./dialogue/dialogue.ts";
export type { DialogueInput, DialogueOptions, ModelCallSettings, Reply } from "./dialogue/dialogue.ts";
export type { DialogueFlow } from "./dialogue/flow-position.ts";
export type { FlowDefinition, FlowNode } from "./flow/flow-definition.ts";
export type { FlowState } from "./flow/flow-state.ts";
export type { ReplyPart } from "./dialogue/open-reply.ts";
export { trimToWindow, type ContextWindow } from "./dialogue/context-window.ts";
export { beginningOfFlow, greetingGuidance, SPEAK_NOW } from "./dialogue/prompt.ts";
export { toProviderError } from "./dialogue/model-error.ts";
export { createDoNotCallTool, DO_NOT_CALL_TOOL_NAME } from "./dialogue/do-not-call-tool.ts";
export { createKeypadTool, KEYPAD_TOOL_NAME } from "./dialogue/keypad-tool.ts";
export {
  createKnowledgeTool,
  type DialogueKnowledge,
  KNOWLEDGE_NOTE,
  type SearchKnowledge,
} from "./dialogue/knowledge.ts";
export { createMessageTool, MESSAGE_TOOL_NAME } from "./dialogue/message-tool.ts";
export {
  createTransferTool,
  TRANSFER_TOOL_NAME,
  type TransferDestination,
  type TransferFailure,
  type TransferResult,
} from "./dialogue/transfer-tool.ts";
export { END_CALL_TOOL_NAME } from "./dialogue/tool.ts";
export { createTesterModel, type TesterLine, type TesterModelOptions } from "./dialogue/tester-model.ts";
export type { DialogueTool, ToolContext, ToolInputSchema } from "./dialogue/tool.ts";
export type { Timers } from "./timers.ts";
export type { KnowledgePassage, TranscriptEntry, TranscriptItem } from "./transcript.ts";
export type { AgentVoice, SpeechStyle } from "./voice/speaking/agent-voice.ts";
export { createFailoverSpeechToText, type Recognizer } from "./voice/hearing/failover-speech-to-text.ts";
export type { AgentPhrases } from "./voice/speaking/speech-texts.ts";
export { emergencyTexts, hasStandardTexts, standardTexts } from "./voice/speaking/speech-texts.ts";
export { synthesize } from "./voice/speaking/synthesize.ts";
export { PhraseBook } from "./voice/speaking/speech-phrases.ts";
export { splitIntoClauses, listStandardTexts } from "./voice/speaking/fixed-speech.ts";
export { VoiceSpeeds } from "./voice/speaking/voice-speeds.ts";
export { createAnswerJudge, type AnswerJudge } from "./voice/answer/answer-judge.ts";
export type { AnsweredBy } from "./voice/answer/answer-detection.ts";
export { Briefing, type BriefingOptions, type BriefingOutcome } from "./voice/briefing/briefing.ts";
export { summarizeCall } from "./voice/briefing/call-summary.ts";
export { VoiceConversation } from "./voice/voice-conversation.ts";
export type { VoiceConversationOptions } from "./voice/voice-conversation.ts";
export type {
  AgentActivity,
  Instruction,
  ProviderFault,
  ProviderPart,
  TurnLatency,
  VoiceAgentSettings,
  VoiceEndReason,
  VoiceEvent,
} from "./voice/voice-event.ts";
export { formatTurnDecision, formatTurnSettings, replayTurnLog } from "./voice/turns/turn-log.ts";
export type { ReplayedStep } from "./voice/turns/turn-log.ts";
export type { TurnEffect, TurnEvent, TurnSettings } from "./voice/turns/turn-state.ts";
