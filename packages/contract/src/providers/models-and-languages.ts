import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { nullable } from "../schemas.ts";

const modelSchema = Type.Object(
  {
    id: Type.String({
      description: "Value for an agent's `llmModel`.",
      examples: ["service-standard", "openai-compatible/gpt-4o-mini"],
    }),
    displayName: Type.String({ description: "Name for people.", examples: ["gpt-4o-mini"] }),
    isDefault: Type.Boolean({
      description: "Whether it is `service-standard`, the operator's default model.",
    }),
    isLanguageModel: Type.Boolean({
      description:
        "False: no language model is configured. The built-in responder answers with sentences of the prompt, says what " +
        "instructions order to say, answers from what they state, and calls no tools. `hint` says how to configure a " +
        "language model.",
    }),
    hint: nullable(
      Type.String({
        description:
          "What is missing and what to do: how to get a language model, or that a model file may not call tools and how to try it. " +
          "Null: nothing is known to be missing.",
      }),
    ),
  },
  { title: "Model", description: "A language model that agents can use." },
);

export type Model = Static<typeof modelSchema>;

const languageSchema = Type.Object(
  {
    id: Type.String({
      description:
        "Language without a region (BCP 47), for an agent's `language`. A region may be added: `en-GB`.",
      examples: ["en"],
    }),
    displayName: Type.String({ description: "Name in English.", examples: ["English"] }),
    isHeard: Type.Boolean({ description: "Whether the configured speech recognition understands it." }),
    isSpoken: Type.Boolean({ description: "Whether one of the voices speaks it." }),
    hasPhrases: Type.Boolean({
      description:
        "Whether Parley has phrases of its own in it, such as “one moment, please”. False: it uses the English ones unless the " +
        "agent has others in `phrases`.",
    }),
  },
  { title: "Language", description: "A language in which callers are understood or answered." },
);

export type Language = Static<typeof languageSchema>;

const tag = "Voices, models and languages";

export const listModelsRoute = defineRoute({
  method: "GET",
  path: "/models",
  operationId: "listModels",
  tag,
  summary: "List language models",
  description:
    "Returns `service-standard` and the other models of the configured server, as far as it lists them. Not paged.",
  status: 200,
  response: Type.Object({ data: Type.Array(modelSchema) }),
});

export const listLanguagesRoute = defineRoute({
  method: "GET",
  path: "/languages",
  operationId: "listLanguages",
  tag,
  summary: "List languages",
  description:
    "Returns the languages that the configured speech recognition understands or that a voice speaks, in the order of their " +
    "names. An agent's `language` must be one that is heard and spoken. Not paged.",
  status: 200,
  response: Type.Object({ data: Type.Array(languageSchema) }),
});
