import { Type } from "typebox";
import { value } from "../../field-table.ts";
import { nullable, variablesSchema } from "../../schemas.ts";
import { freeObjectSchema, textSchema } from "./texts.ts";

export const conversationFields = {
  promptTemplate: value(
    Type.String({
      maxLength: 100_000,
      description: "The agent's instructions. `{{name}}` is replaced by a variable's value.",
    }),
    "You are a friendly, concise voice assistant. Answer in one or two short sentences.",
  ),
  firstMessage: value(textSchema("What the agent says first. Null: it waits for the caller."), null),
  firstMessageOutbound: value(
    textSchema("What the agent says first in the calls that it places. Null: `firstMessage`."),
    null,
  ),
  firstMessageDelayMs: value(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: "Pause between the answer and the first message.",
    }),
    0,
  ),
  startSpeaker: value(Type.Enum(["agent", "user"], { description: "Who speaks first." }), "agent"),
  firstMessageMode: value(
    Type.Enum(["static", "generated"], {
      description: "`static` speaks `firstMessage` as it is; `generated` lets the model phrase it.",
    }),
    "static",
  ),
  mode: value(
    Type.Enum(["single_prompt", "flow"], {
      description: "`single_prompt` follows `promptTemplate`, `flow` the `flowDefinition`.",
    }),
    "single_prompt",
  ),
  flowDefinition: value(
    nullable({ ...freeObjectSchema("The flow of `mode` `flow`; replaced as a whole."), type: "object" }),
    null,
  ),
  defaultVariables: value(variablesSchema, {}),
  testVariables: value(
    { ...variablesSchema, description: "Over `defaultVariables` in browser test calls." },
    {},
  ),
  language: value(
    Type.String({
      pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
      maxLength: 64,
      description: "BCP 47.",
      examples: ["en"],
    }),
    "en",
  ),
  timezone: value(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "IANA name.",
      examples: ["Europe/Berlin"],
    }),
    "UTC",
  ),
  turnTimeoutSeconds: value(
    Type.Number({
      minimum: 1,
      maximum: 60,
      description: "Silence after the agent has spoken until it takes the word again.",
    }),
    10,
  ),
  silenceEndCallTimeoutSeconds: value(
    Type.Number({
      minimum: 5,
      maximum: 600,
      description: "Silence of both until the call is ended (`silence_timeout`).",
    }),
    30,
  ),
  maxConversationDurationSeconds: value(
    Type.Number({
      minimum: 30,
      maximum: 14_400,
      description: "Length at which the call is ended (`max_duration`).",
    }),
    1_800,
  ),
};
