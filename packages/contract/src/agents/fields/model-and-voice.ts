import { Type } from "typebox";
import { value } from "../../field-table.ts";
import { nullable } from "../../schemas.ts";
import { freeObjectSchema, wordsSchema } from "./texts.ts";

export const modelFields = {
  llmModel: value(
    Type.String({
      maxLength: 200,
      pattern: "^(service-standard|[^\\s/]+/\\S+)$",
      description:
        "`service-standard` is the operator's default model; `provider/model` names another of a provider that is " +
        "configured. Where that provider is gone, the default answers.",
      examples: ["service-standard"],
    }),
    "service-standard",
  ),
  llmTemperature: value(Type.Number({ minimum: 0, maximum: 2 }), 0.7),
  llmReasoningEffort: value(
    Type.Enum(["none", "low", "medium", "high"], { description: "Where the model knows such a thing." }),
    "none",
  ),
  runtimeConfig: value(freeObjectSchema("Settings of the model's own; replaced as a whole."), {}),
};

export const voiceFields = {
  voiceId: value(
    nullable(
      Type.String({ minLength: 1, maxLength: 200, description: "Null: the operator's default voice." }),
    ),
    null,
  ),
  fallbackVoiceId: value(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "Speaks on when the voice fails, in the same turn. Null: the operator's local voice, where there is one.",
      }),
    ),
    null,
  ),
  voiceTemperature: value(
    Type.Number({ minimum: 0, maximum: 1, description: "Where the voice knows such a thing." }),
    0.7,
  ),
  voiceSpeed: value(Type.Number({ minimum: 0.5, maximum: 2, description: "1 is the voice's own pace." }), 1),
  voiceVolume: value(
    Type.Number({ minimum: 0, maximum: 2, description: "1 is the voice's own loudness." }),
    1,
  ),
  voiceTopP: value(
    Type.Number({ minimum: 0, maximum: 1, description: "Where the voice knows such a thing." }),
    1,
  ),
};

export const listeningFields = {
  disableInterruptions: value(
    Type.Boolean({ description: "True: the agent speaks to its end whatever the caller says." }),
    false,
  ),
  interruptionThresholdMs: value(
    Type.Integer({
      minimum: 0,
      maximum: 2_000,
      description: "How long the caller must speak to interrupt.",
    }),
    200,
  ),
  interruptionIgnoreWords: value(
    wordsSchema({ description: "Said alone, these do not interrupt.", examples: [["uh-huh", "okay"]] }),
    [],
  ),
  minInterruptionWords: value(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description: "Words that the caller must say to interrupt.",
    }),
    0,
  ),
  sttKeyterms: value(
    wordsSchema({
      description: "Words that speech recognition should favour.",
      examples: [["Parley"]],
    }),
    [],
  ),
  noiseCancellation: value(
    Type.Enum(["on", "off"], {
      description:
        "Suppresses noise where it is decided whether the caller speaks, and for a person after a transfer.",
    }),
    "on",
  ),
};
