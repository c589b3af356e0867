import { Type } from "typebox";
import { value } from "../../field-table.ts";
import { closedObject, nullable } from "../../schemas.ts";
import { wordsSchema } from "./texts.ts";

const runtimeConfigSchema = closedObject(
  {
    maxOutputTokens: Type.Optional(
      Type.Integer({ minimum: 16, maximum: 8_192, description: "Longest answer, in tokens." }),
    ),
    topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "Nucleus sampling." })),
    topK: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: "Number of the most likely tokens to choose from.",
      }),
    ),
    frequencyPenalty: Type.Optional(
      Type.Number({ minimum: -2, maximum: 2, description: "Penalty for tokens by how often they occurred." }),
    ),
    presencePenalty: Type.Optional(
      Type.Number({ minimum: -2, maximum: 2, description: "Penalty for tokens that occurred." }),
    ),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: "Makes answers repeatable, as far as the model can.",
      }),
    ),
    stopSequences: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 4,
        description: "Texts at which an answer ends.",
      }),
    ),
  },
  {
    description:
      "Further settings of the language model. An update replaces them completely. A setting that the model's provider does not " +
      "support is rejected.",
  },
);

export const modelFields = {
  llmModel: value(
    Type.String({
      maxLength: 200,
      pattern: "^(service-standard|[^\\s/]+/\\S+)$",
      description:
        "`service-standard`: the operator's default model. `provider/model`: another model of the configured provider. A change " +
        "to one that `GET /models` does not list is rejected.",
      examples: ["service-standard"],
    }),
    "service-standard",
  ),
  llmTemperature: value(
    Type.Number({
      minimum: 0,
      maximum: 2,
      description:
        "Sampling temperature of the language model. Providers with a lower maximum (Anthropic: 1) reject higher values, and " +
        "models that take no temperature reject a change, as does a server without a language model.",
    }),
    0.7,
  ),
  llmReasoningEffort: value(
    Type.Enum(["none", "low", "medium", "high"], {
      description:
        "Reasoning effort of the language model. `none`: not sent to the model. Models that do not reason, and servers without a language model, accept only `none`.",
    }),
    "none",
  ),
  runtimeConfig: value(runtimeConfigSchema, {}),
};

export const voiceFields = {
  voiceId: value(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "Id of the voice, one of `GET /voices` that speaks `language`. Null: the operator's default voice.",
      }),
    ),
    null,
  ),
  fallbackVoiceId: value(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "Id of the voice that takes over in the same turn if `voiceId` fails, one of `GET /voices` that speaks `language`. Null: " +
          "the local voice, if it is installed and `language` is English; otherwise the default voice of the provider.",
      }),
    ),
    null,
  ),
  voiceTemperature: value(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Variation of the voice. 0.7 is the voice's own; lower is calmer, higher more lively. Voices without this setting, " +
        "such as the local ones, accept only 0.7.",
    }),
    0.7,
  ),
  voiceSpeed: value(
    Type.Number({
      minimum: 0.5,
      maximum: 2,
      description:
        "Speed factor. 1 is the normal speed of the voice. What the provider does not support is reached by a time stretch.",
    }),
    1,
  ),
  voiceVolume: value(
    Type.Number({
      minimum: 0,
      maximum: 2,
      description:
        "Volume factor of everything that the agent says. 1 is the normal volume of the voice, 0 is silence. Loud passages are " +
        "limited, so that they are not distorted.",
    }),
    1,
  ),
  voiceTopP: value(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Nucleus sampling of the voice. None of the supported providers has this setting, so that only 1 is accepted.",
    }),
    1,
  ),
};

export const listeningFields = {
  disableInterruptions: value(
    Type.Boolean({ description: "`true`: the caller cannot interrupt the agent." }),
    false,
  ),
  interruptionThresholdMs: value(
    Type.Integer({
      minimum: 0,
      maximum: 2_000,
      description:
        "Speech of the caller in milliseconds after which the agent pauses. The agent continues if the words are no interruption.",
    }),
    200,
  ),
  interruptionIgnoreWords: value(
    wordsSchema({
      description: "Words and phrases that do not interrupt if the caller says nothing else.",
      examples: [["uh-huh", "okay"]],
    }),
    [],
  ),
  defaultIgnoreWordsEnabled: value(
    Type.Boolean({
      description:
        "Whether words that show attention in `language`, such as “okay” and “I see”, do not interrupt either. Languages with such " +
        "words are those with `hasPhrases` in `GET /languages`.",
    }),
    true,
  ),
  minInterruptionWords: value(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description: "Minimum number of words that interrupt.",
    }),
    0,
  ),
  sttKeyterms: value(
    wordsSchema({
      description:
        "Words that speech recognition should prefer, such as names. The local recognizer prefers them where they are nearly as " +
        "likely as what it heard.",
      examples: [["Parley"]],
    }),
    [],
  ),
  noiseCancellation: value(
    Type.Enum(["on", "off"], {
      description:
        "Noise suppression before voice activity detection. Speech recognition and recordings get the original audio.",
    }),
    "on",
  ),
};
