/** Schema of `flowDefinition`: a graph of nodes that an agent with `mode` `flow` goes through. */
import { type Static, Type } from "typebox";
import { closedObject } from "../../schemas.ts";

export const MAX_FLOW_NODES = 200;
/** Slots of all nodes together. */
export const MAX_FLOW_SLOTS = 50;
/** Characters of a slot's value. */
export const MAX_SLOT_CHARACTERS = 500;

const nodeId = Type.String({
  pattern: "^[A-Za-z][A-Za-z0-9_-]{0,39}$",
  description: "Id of the node, unique in the flow.",
  examples: ["ask_day"],
});

function target(description: string) {
  return Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_-]{0,39}$", description });
}

const next = target("Id of the node that follows.");

const slotName = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,39}$",
  description: "Name of the slot. Texts of the flow contain its value as `{{name}}`.",
  examples: ["day"],
});

function said(description: string, maxLength = 2_000) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: "\\S",
    description: `${description} \`{{name}}\` is replaced by the value of the slot or variable.`,
  });
}

const phrases = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: "\\S" }), { maxItems: 20, description });

const key = Type.Optional(
  Type.String({ pattern: "^[0-9*]$", description: "Key of the keypad that stands for it." }),
);

const slotOption = closedObject({
  value: Type.String({ minLength: 1, maxLength: 100, pattern: "\\S", description: "Value that is stored." }),
  phrases: Type.Optional(phrases("Other words for the value.")),
  key,
});

const isoDate = (description: string) =>
  Type.Optional(Type.String({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description }));

const slot = closedObject(
  {
    name: slotName,
    type: Type.Enum(["string", "number", "boolean", "enum", "date", "phone_number"], {
      description:
        "Type of the value. `date`: stored as `YYYY-MM-DD`. `phone_number`: stored as digits, after a `+` if it was given.",
    }),
    description: Type.Optional(
      Type.String({ maxLength: 500, description: "Meaning of the value, for the language model." }),
    ),
    isVerbatim: Type.Optional(
      Type.Boolean({
        description: "`string`: takes the whole answer word for word, without the language model.",
      }),
    ),
    minLength: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_SLOT_CHARACTERS, description: "`string`: fewest characters." }),
    ),
    maxLength: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_SLOT_CHARACTERS, description: "`string`: most characters." }),
    ),
    isInteger: Type.Optional(Type.Boolean({ description: "`number`: whether it must be whole." })),
    minimum: Type.Optional(Type.Number({ description: "`number`: smallest value." })),
    maximum: Type.Optional(Type.Number({ description: "`number`: largest value." })),
    options: Type.Optional(
      Type.Array(slotOption, {
        minItems: 1,
        maxItems: 50,
        description: "`enum`: the values. Required for it.",
      }),
    ),
    earliest: isoDate("`date`: first day that is accepted."),
    latest: isoDate("`date`: last day that is accepted."),
  },
  { title: "FlowSlot" },
);

const sayNode = closedObject(
  { id: nodeId, type: Type.Literal("say"), text: said("Text that the agent says."), next },
  { title: "FlowSayNode", description: "Says a text." },
);

const askNode = closedObject(
  {
    id: nodeId,
    type: Type.Literal("ask"),
    prompt: said("Question."),
    reprompt: Type.Optional(
      said("Question after an answer without a valid value, or after silence. Absent: `prompt`."),
    ),
    slot,
    maxAttempts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: "How often the question is put, the first time included. Default: 3.",
      }),
    ),
    next,
    onExhausted: target("Id of the node that follows if the last attempt brought no valid value."),
  },
  { title: "FlowAskNode", description: "Asks for a value, and stores it in a slot." },
);

const scalar = Type.Unsafe<string | number | boolean>({
  type: ["string", "number", "boolean"],
  maxLength: MAX_SLOT_CHARACTERS,
});

const test = closedObject(
  {
    name: Type.String({
      pattern: "^[A-Za-z0-9_.-]{1,64}$",
      description: "Name of a slot or of a variable. A slot hides a variable of the same name.",
    }),
    is: Type.Enum(
      [
        "filled",
        "empty",
        "equal",
        "not_equal",
        "less",
        "at_most",
        "greater",
        "at_least",
        "contains",
        "one_of",
      ],
      {
        description:
          "Comparison. `filled`, `empty`: whether it has a value. `less` … `at_least` compare numbers, or dates as `YYYY-MM-DD`. " +
          "`contains`: the text contains `value`, in upper or lower case. `one_of`: it equals one of `values`. A name without a value " +
          "passes only `empty` and `not_equal`.",
      },
    ),
    value: Type.Optional({
      ...scalar,
      description: "Value to compare with. Not for `filled`, `empty` and `one_of`.",
    }),
    values: Type.Optional(
      Type.Array(scalar, { minItems: 1, maxItems: 50, description: "Values to compare with, for `one_of`." }),
    ),
  },
  { title: "FlowTest" },
);

const conditionNode = closedObject(
  {
    id: nodeId,
    type: Type.Literal("condition"),
    branches: Type.Array(
      closedObject({
        match: Type.Optional(
          Type.Enum(["all", "any"], { description: "Tests that must pass. Default: `all`." }),
        ),
        tests: Type.Array(test, { minItems: 1, maxItems: 10 }),
        next,
      }),
      { minItems: 1, maxItems: 20, description: "The first branch whose tests pass is taken." },
    ),
    otherwise: target("Id of the node that follows if no branch is taken."),
  },
  { title: "FlowConditionNode", description: "Chooses the next node by slots and variables." },
);

const plain = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, pattern: "\\S", description });

const judgeNode = closedObject(
  {
    id: nodeId,
    type: Type.Literal("judge"),
    branches: Type.Array(
      closedObject({
        condition: plain("Condition in plain language, judged by the language model from the conversation."),
        next,
      }),
      { minItems: 1, maxItems: 20, description: "The first branch that applies is taken." },
    ),
    otherwise: target("Id of the node that follows if no branch applies, or without a judgment."),
  },
  { title: "FlowJudgeNode", description: "Chooses the next node by the judgment of the language model." },
);

const toolNode = closedObject(
  {
    id: nodeId,
    type: Type.Literal("tool"),
    tool: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Name of one of the agent's tools, enabled.",
    }),
    arguments: Type.Optional(
      Type.Record(Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }), scalar, {
        additionalProperties: false,
        maxProperties: 50,
        description: "Arguments. A text that is only `{{name}}` keeps the type of the slot.",
      }),
    ),
    say: Type.Optional(said("Text that the agent says while the tool runs.", 500)),
    save: Type.Optional(
      Type.Array(
        closedObject({
          slot: slotName,
          path: Type.String({
            pattern: "^[A-Za-z0-9_-]{1,64}(\\.[A-Za-z0-9_-]{1,64}){0,7}$",
            description:
              "Place of a text, number or boolean in the tool's JSON answer, such as `booking.id`.",
          }),
        }),
        {
          maxItems: 20,
          description: "Values of the answer to store in slots. A value that is missing empties the slot.",
        },
      ),
    ),
    next,
    onFailure: target("Id of the node that follows if the tool fails."),
  },
  { title: "FlowToolNode", description: "Calls a custom tool." },
);

const transferNode = closedObject(
  {
    id: nodeId,
    type: Type.Literal("transfer"),
    route: Type.String({
      minLength: 1,
      maxLength: 300,
      description:
        "`to_number` of one of the agent's `transferRoutes`; of several with it, the first is meant.",
      examples: ["+14155550123"],
    }),
    saveFailure: Type.Optional({
      ...slotName,
      description:
        "Name of the slot that takes why nobody took over: `busy`, `no answer`, `rejected`, `refused`, `voicemail`, `not allowed`, " +
        "`unreachable`, `hung up` or `failed`.",
    }),
    onFailure: target("Id of the node that follows if nobody takes over. The caller is back by then."),
  },
  {
    title: "FlowTransferNode",
    description:
      "Transfers the call to a person, as `transferMode` says. Requires `transferEnabled`. Simulated with success in browser calls and " +
      "test runs; fails in conversations by text.",
  },
);

const messageNode = closedObject(
  {
    id: nodeId,
    type: Type.Literal("message"),
    text: said("Text message to the other side of the call.", 1_000),
    next,
    onFailure: target(
      "Id of the node that follows if it could not be sent, such as in a conversation by text.",
    ),
  },
  {
    title: "FlowMessageNode",
    description: "Sends a text message. Requires `messagingConfig.sendMessageEnabled`.",
  },
);

const endNode = closedObject(
  { id: nodeId, type: Type.Literal("end"), text: Type.Optional(said("Last words.")) },
  {
    title: "FlowEndNode",
    description: "Hangs up. In a conversation by text the next message begins the flow again.",
  },
);

const subPromptNode = closedObject(
  {
    id: nodeId,
    type: Type.Literal("subPrompt"),
    prompt: said("Instructions for the language model, in addition to the agent's prompt.", 20_000),
    exits: Type.Array(
      closedObject({
        name: Type.String({ pattern: "^[a-z][a-z0-9_]{0,39}$", description: "Name, unique in the node." }),
        condition: plain("When the stretch is over, in plain language."),
        next,
      }),
      {
        minItems: 1,
        maxItems: 20,
        description: "Ways out. The language model takes one when its condition is met.",
      },
    ),
    maxTurns: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: "Replies of the model at most. Default: 20." }),
    ),
    onMaxTurns: target("Id of the node that follows after `maxTurns` replies."),
  },
  { title: "FlowSubPromptNode", description: "A stretch of the conversation led by the language model." },
);

export const flowNodeSchema = Type.Union(
  [sayNode, askNode, conditionNode, judgeNode, toolNode, transferNode, messageNode, endNode, subPromptNode],
  { title: "FlowNode" },
);

const intent = (description: string) =>
  closedObject(
    {
      phrases: Type.Optional(
        phrases("Further words for it, each of which must be the whole answer. English has built-in ones."),
      ),
      key,
      next: target("Id of the node that follows."),
    },
    { description },
  );

const { next: _next, ...repeatProperties } = intent("").properties;

/** Wishes that are understood at every question. */
const flowIntentsSchema = closedObject(
  {
    human: Type.Optional(intent("The caller asks for a person.")),
    goodbye: Type.Optional(intent("The caller ends the conversation.")),
    repeat: Type.Optional(
      closedObject(repeatProperties, {
        description: "The caller asks to hear the question again, which counts as no attempt.",
      }),
    ),
  },
  { title: "FlowIntents" },
);

export const flowDefinitionSchema = closedObject({
  start: target("Id of the first node."),
  nodes: Type.Array(flowNodeSchema, { minItems: 1, maxItems: MAX_FLOW_NODES }),
  intents: Type.Optional(flowIntentsSchema),
});

export type FlowNode = Static<typeof flowNodeSchema>;
export type FlowDefinition = Static<typeof flowDefinitionSchema>;
