import { Type } from "typebox";
import { group, value } from "../../field-table.ts";
import { builtInVariables, nullable, variablesSchema } from "../../schemas.ts";
import { flowDefinitionSchema } from "../flows/flow-definition.ts";
import { textSchema } from "./texts.ts";

const PHRASE_CHARACTERS = 500;

/** A text that is said word for word instead of the one of the language. */
function phraseField(description: string) {
  return value(textSchema(`${description} Null: the phrase of \`language\`.`, PHRASE_CHARACTERS), null);
}

export const conversationFields = {
  promptTemplate: value(
    Type.String({
      maxLength: 100_000,
      description:
        "System prompt of the language model. `{{name}}` is replaced by the value of the variable. Built-in variables: " +
        `${Object.keys(builtInVariables)
          .map((name) => `\`${name}\``)
          .join(", ")}.`,
    }),
    "You are a friendly, concise voice assistant. Answer in one or two short sentences.",
  ),
  firstMessage: value(
    textSchema(
      "First words of the agent. Null: the agent waits for the caller, unless `firstMessageMode` is `generated`.",
    ),
    null,
  ),
  firstMessageOutbound: value(
    textSchema("First words of the agent in outbound calls. Null: `firstMessage`."),
    null,
  ),
  firstMessageDelayMs: value(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: "Pause between the answer and the first message, in milliseconds.",
    }),
    0,
  ),
  startSpeaker: value(
    Type.Enum(["agent", "user"], {
      description: "Side that speaks first. `user`: the agent waits and says no first message.",
    }),
    "agent",
  ),
  firstMessageMode: value(
    Type.Enum(["static", "generated"], {
      description:
        "`static`: the agent says `firstMessage` word for word. `generated`: the language model greets, with `firstMessage` as an " +
        "example of the meaning.",
    }),
    "static",
  ),
  mode: value(
    Type.Enum(["single_prompt", "flow"], {
      description:
        "`single_prompt`: the agent follows `promptTemplate`. `flow`: the agent follows `flowDefinition`, which it requires; " +
        "`promptTemplate` then applies to what the language model says in it.",
    }),
    "single_prompt",
  ),
  flowDefinition: value(
    nullable({
      ...flowDefinitionSchema,
      description:
        "Flow for `mode` `flow`: nodes, of which each names those that follow. A definition with problems is rejected; each problem " +
        "names its node. An update replaces it completely.",
    }),
    null,
  ),
  defaultVariables: value(
    {
      ...variablesSchema,
      description: "Variables by name. Environments, calls and pre-call answers override them.",
    },
    {},
  ),
  testVariables: value(
    { ...variablesSchema, description: "Variables that override `defaultVariables` in browser test calls." },
    {},
  ),
  language: value(
    Type.String({
      pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
      maxLength: 64,
      description:
        "Language of the conversation, as a BCP 47 tag. A change to one that the configured speech recognition does not understand, " +
        "or that the agent's voice does not speak, is rejected (`GET /languages`).",
      examples: ["en"],
    }),
    "en",
  ),
  phrases: group({
    fillers: value(
      Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: "\\S" }), {
        maxItems: 4,
        description:
          "Said in turn, twice at most, while an answer takes long. Empty: the phrases of `language`, such as “One moment, please.”",
        examples: [["One moment, I am looking."]],
      }),
      [],
    ),
    noAnswer: phraseField("Said instead of an answer that did not come."),
    repeatRequest: phraseField("Said when the caller's words were lost."),
    apology: phraseField("Said before a call ends because a provider failed."),
    reminder: value(
      textSchema(
        "Said to a caller who is silent for `turnTimeoutSeconds`. Null: the language model asks in its own words, or without one the phrase of `language` is said.",
        PHRASE_CHARACTERS,
      ),
      null,
    ),
    farewell: phraseField("Said if the language model hangs up without a word."),
  }),
  timezone: value(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "IANA time zone of the agent, used for `current_time` and in analysis.",
      examples: ["Europe/Berlin"],
    }),
    "UTC",
  ),
  turnTimeoutSeconds: value(
    Type.Number({
      minimum: 1,
      maximum: 60,
      description: "Silence in seconds after which the agent speaks again.",
    }),
    10,
  ),
  silenceEndCallTimeoutSeconds: value(
    Type.Number({
      minimum: 5,
      maximum: 600,
      description: "Silence of both sides in seconds after which the call ends (`silence_timeout`).",
    }),
    30,
  ),
  maxConversationDurationSeconds: value(
    Type.Number({
      minimum: 30,
      maximum: 14_400,
      description:
        "Maximum length of a conversation in seconds, time on hold included. The call then ends (`max_duration`).",
    }),
    1_800,
  ),
};
