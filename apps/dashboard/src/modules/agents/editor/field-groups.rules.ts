/** Order in which the editor shows an agent's fields. */

export interface FieldGroup {
  id: string;
  title: string;
  description: string;
  fields: readonly string[];
}

export const fieldGroups: readonly FieldGroup[] = [
  {
    id: "conversation",
    title: "Conversation",
    description: "What the agent knows and does, and how it begins.",
    fields: [
      "name",
      "promptTemplate",
      "startSpeaker",
      "firstMessage",
      "firstMessageMode",
      "firstMessageOutbound",
      "firstMessageDelayMs",
      "language",
      "timezone",
    ],
  },
  {
    id: "flow",
    title: "Flow",
    description: "Fixed steps with typed questions, in place of one prompt.",
    fields: ["mode", "flowDefinition"],
  },
  {
    id: "variables",
    title: "Variables",
    description: "Values for {{name}} in the prompt, in messages and in tools.",
    fields: ["defaultVariables", "testVariables"],
  },
  {
    id: "model",
    title: "Model",
    description: "The language model that decides what the agent says.",
    fields: ["llmModel", "llmTemperature", "llmReasoningEffort", "runtimeConfig"],
  },
  {
    id: "voice",
    title: "Voice",
    description: "How the agent sounds.",
    fields: [
      "voiceId",
      "fallbackVoiceId",
      "voiceSpeed",
      "voiceVolume",
      "voiceTemperature",
      "voiceTopP",
      "phrases",
    ],
  },
  {
    id: "listening",
    title: "Listening",
    description: "How the agent hears, and when callers may interrupt it.",
    fields: [
      "disableInterruptions",
      "interruptionThresholdMs",
      "minInterruptionWords",
      "interruptionIgnoreWords",
      "defaultIgnoreWordsEnabled",
      "sttKeyterms",
      "noiseCancellation",
      "turnTimeoutSeconds",
    ],
  },
  {
    id: "ending",
    title: "Ending",
    description: "When a call ends, and what happens at a voicemail.",
    fields: [
      "endCallEnabled",
      "endCallRulesOverride",
      "silenceEndCallTimeoutSeconds",
      "maxConversationDurationSeconds",
      "voicemailEnabled",
      "voicemailAction",
      "voicemailMessage",
    ],
  },
  {
    id: "transfer",
    title: "Transfer",
    description: "Handing a call to a person.",
    fields: [
      "transferEnabled",
      "transferMode",
      "transferDescriptionOverride",
      "transferRoutes",
      "warmTransferConfig",
    ],
  },
  {
    id: "keypad",
    title: "Keypad",
    description: "Keys that the agent presses, for example in menus of other companies.",
    fields: ["playKeypadTouchToneEnabled", "playKeypadTouchToneDescriptionOverride"],
  },
  {
    id: "knowledge",
    title: "Knowledge",
    description: "Passages of documents that the agent looks up.",
    fields: [
      "knowledgeBaseIds",
      "knowledgeBaseRetrievalMode",
      "knowledgeBaseChunks",
      "knowledgeBaseSimilarityThreshold",
    ],
  },
  {
    id: "webhooks",
    title: "Webhooks",
    description: "Requests to your server before and after each call.",
    fields: ["preCallWebhookUrl", "postCallWebhookUrl"],
  },
  {
    id: "analysis",
    title: "Analysis",
    description: "What is kept of a call, and what a language model reads from it.",
    fields: ["recordingEnabled", "postCallExtraction", "postCallEvaluation"],
  },
  {
    id: "messaging",
    title: "Messaging",
    description: "SMS.",
    fields: ["messagingConnectionId", "messagingConfig", "phoneMemoryEnabled"],
  },
  {
    id: "widget",
    title: "Widget",
    description: "Chat and calls on your own pages.",
    fields: ["widgetConfig"],
  },
  {
    id: "publishing",
    title: "Publishing",
    description: "Where the agent is reached, and when its changes become live.",
    fields: ["status", "publishMode", "sipTrunkId", "folderId"],
  },
];

/** Last group: fields that no group above names, so that a new field is never out of reach. */
export function withOtherFields(groups: readonly FieldGroup[], names: readonly string[]): FieldGroup[] {
  const placed = new Set(groups.flatMap(({ fields }) => fields));
  const others = names.filter((name) => !placed.has(name));
  const rest = { id: "other", title: "Other", description: "Everything else.", fields: others };
  return others.length === 0 ? [...groups] : [...groups, rest];
}

/** Group that a path of the form belongs to; `undefined` if no group has its field. */
export function groupOf(groups: readonly FieldGroup[], path: string): FieldGroup | undefined {
  const [field = ""] = path.split(".");
  return groups.find(({ fields }) => fields.includes(field));
}
