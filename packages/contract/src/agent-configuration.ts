/** The one table of an agent's settings: their bounds, their schemas and their defaults. */
import { type Static, Type } from "typebox";
import { nullable, variablesSchema } from "./schemas.ts";

const agentRanges = {
  firstMessageDelayMs: { minimum: 0, maximum: 10_000 },
  turnTimeoutSeconds: { minimum: 1, maximum: 60 },
  silenceEndCallTimeoutSeconds: { minimum: 5, maximum: 600 },
  maxConversationDurationSeconds: { minimum: 30, maximum: 14_400 },
  llmTemperature: { minimum: 0, maximum: 2 },
  voiceTemperature: { minimum: 0, maximum: 1 },
  voiceSpeed: { minimum: 0.5, maximum: 2 },
  voiceVolume: { minimum: 0, maximum: 2 },
  voiceTopP: { minimum: 0, maximum: 1 },
  interruptionThresholdMs: { minimum: 0, maximum: 2_000 },
  minInterruptionWords: { minimum: 0, maximum: 10 },
} as const;

function wordsSchema(options: object) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100, ...options });
}

/** What a conversation runs on: every field has a default, and a version is a snapshot of them all. */
export const configurationFields = {
  promptTemplate: Type.String({
    maxLength: 100_000,
    description: "The agent's instructions. `{{name}}` is replaced by a variable's value.",
  }),
  firstMessage: nullable(
    Type.String({
      maxLength: 4_000,
      description: "What the agent says first. Null: it waits for the caller.",
    }),
  ),
  firstMessageDelayMs: Type.Integer({
    ...agentRanges.firstMessageDelayMs,
    description: "Pause between the answer and the first message.",
  }),
  startSpeaker: Type.Enum(["agent", "user"], { description: "Who speaks first." }),
  firstMessageMode: Type.Enum(["static", "generated"], {
    description: "`static` speaks `firstMessage` as it is; `generated` lets the model phrase it.",
  }),
  defaultVariables: variablesSchema,
  language: Type.String({
    pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    description: "BCP 47.",
    examples: ["en"],
  }),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "IANA name.",
    examples: ["Europe/Berlin"],
  }),
  turnTimeoutSeconds: Type.Number({
    ...agentRanges.turnTimeoutSeconds,
    description: "Silence after the agent has spoken until it takes the word again.",
  }),
  silenceEndCallTimeoutSeconds: Type.Number({
    ...agentRanges.silenceEndCallTimeoutSeconds,
    description: "Silence of both until the call is ended (`silence_timeout`).",
  }),
  maxConversationDurationSeconds: Type.Number({
    ...agentRanges.maxConversationDurationSeconds,
    description: "Length at which the call is ended (`max_duration`).",
  }),
  llmModel: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      "`service-standard` is the operator's default model; `provider/model` names another that is configured.",
  }),
  llmTemperature: Type.Number(agentRanges.llmTemperature),
  llmReasoningEffort: Type.Enum(["none", "low", "medium", "high"], {
    description: "Where the model knows such a thing.",
  }),
  voiceId: nullable(
    Type.String({ minLength: 1, maxLength: 200, description: "Null: the operator's default voice." }),
  ),
  fallbackVoiceId: nullable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Speaks on when the voice fails, in the same turn. Null: the operator's local voice, where there is one.",
    }),
  ),
  voiceTemperature: Type.Number({
    ...agentRanges.voiceTemperature,
    description: "Where the voice knows such a thing.",
  }),
  voiceSpeed: Type.Number({ ...agentRanges.voiceSpeed, description: "1 is the voice's own pace." }),
  voiceVolume: Type.Number({ ...agentRanges.voiceVolume, description: "1 is the voice's own loudness." }),
  voiceTopP: Type.Number({ ...agentRanges.voiceTopP, description: "Where the voice knows such a thing." }),
  disableInterruptions: Type.Boolean({
    description: "True: the agent speaks to its end whatever the caller says.",
  }),
  interruptionThresholdMs: Type.Integer({
    ...agentRanges.interruptionThresholdMs,
    description: "How long the caller must speak to interrupt.",
  }),
  interruptionIgnoreWords: wordsSchema({
    description: "Said alone, these do not interrupt.",
    examples: [["uh-huh", "okay"]],
  }),
  minInterruptionWords: Type.Integer({
    ...agentRanges.minInterruptionWords,
    description: "Words that the caller must say to interrupt.",
  }),
  sttKeyterms: wordsSchema({
    description: "Words that speech recognition should favour.",
    examples: [["Parley"]],
  }),
  endCallEnabled: Type.Boolean({ description: "Whether the agent may hang up by itself." }),
  endCallRulesOverride: nullable(
    Type.String({ maxLength: 4_000, description: "When to hang up, in words; null: the built-in rules." }),
  ),
};

const configurationSchema = Type.Object(configurationFields);

/** The versioned part of an agent, every field present. */
export type AgentConfiguration = Static<typeof configurationSchema>;

/** What an agent is where nobody says otherwise. */
export const agentDefaults: AgentConfiguration = {
  promptTemplate: "You are a friendly, concise voice assistant. Answer in one or two short sentences.",
  firstMessage: null,
  firstMessageDelayMs: 0,
  startSpeaker: "agent",
  firstMessageMode: "static",
  defaultVariables: {},
  language: "en",
  timezone: "UTC",
  turnTimeoutSeconds: 10,
  silenceEndCallTimeoutSeconds: 30,
  maxConversationDurationSeconds: 1_800,
  llmModel: "service-standard",
  llmTemperature: 0.7,
  llmReasoningEffort: "none",
  voiceId: null,
  fallbackVoiceId: null,
  voiceTemperature: 0.7,
  voiceSpeed: 1,
  voiceVolume: 1,
  voiceTopP: 1,
  disableInterruptions: false,
  interruptionThresholdMs: 200,
  interruptionIgnoreWords: [],
  minInterruptionWords: 0,
  sttKeyterms: [],
  endCallEnabled: true,
  endCallRulesOverride: null,
};
