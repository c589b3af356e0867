/** What a test case checks by itself, without a judge, and what it answers in place of the agent's tools. */
import { type Static, Type } from "typebox";
import { callEndReasons } from "../calls/call.ts";
import { closedObject } from "../schemas.ts";

const MAX_ASSERTIONS = 50;
const MAX_TOOL_MOCKS = 50;

/** How the conversation of an attempt can end: as a call, or at the limit of turns. */
export const testEndReasons = [...callEndReasons, "turn_limit"] as const;
export type TestEndReason = (typeof testEndReasons)[number];

export const assertionTypes = [
  "tool_called",
  "tool_not_called",
  "said",
  "not_said",
  "order",
  "latency",
  "end_reason",
  "extraction",
] as const;
export type TestAssertionType = (typeof assertionTypes)[number];

const matches = ["partial", "exact"] as const;

const toolNameSchema = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Name of a tool, built-in tools included.",
  examples: ["look_up_order"],
});
const textSchema = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: "\\S",
  description:
    "Words as they are said. Case, punctuation and spaces are ignored, and only whole words are found.",
  examples: ["your order has been shipped"],
});
const argumentsSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: "Arguments of the call. Default: any.",
  examples: [{ number: "1234" }],
});
const matchSchema = Type.Enum([...matches], {
  description:
    "`partial` (default): the call has these arguments, and may have others; objects in them are compared likewise. `exact`: it " +
    "has these arguments only.",
});

export const testAssertionSchema = closedObject(
  {
    type: Type.Enum([...assertionTypes], {
      description:
        "`tool_called`, `tool_not_called`: needs `toolName`. `said`, `not_said`: needs `text`. `order`: needs `sequence`. " +
        "`latency`: needs `maxMs`. `end_reason`: needs `endReason`. `extraction`: needs `field` and `value`, and a language model, " +
        "which fills in the agent's `postCallExtraction`.",
    }),
    toolName: Type.Optional(toolNameSchema),
    arguments: Type.Optional(argumentsSchema),
    match: Type.Optional(matchSchema),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: "Number of calls that `tool_called` requires. Default: at least one.",
      }),
    ),
    text: Type.Optional(textSchema),
    role: Type.Optional(
      Type.Enum(["agent", "user"], {
        description: "Speaker of `text`. `user` is the tester. Default: `agent`.",
      }),
    ),
    sequence: Type.Optional(
      Type.Array(closedObject({ toolName: Type.Optional(toolNameSchema), text: Type.Optional(textSchema) }), {
        minItems: 2,
        maxItems: 20,
        description:
          "Calls of tools and words of the agent that occur in this order. Others may occur between them. Each has either a " +
          "`toolName` or a `text`.",
      }),
    ),
    maxMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 120_000,
        description:
          "Longest time to each reply of the agent, in milliseconds: to its end in text, to its first audio in calls.",
      }),
    ),
    endReason: Type.Optional(
      Type.Enum([...testEndReasons], {
        description:
          "How the conversation ends, as the agent's side sees it. `user_hangup`: the tester ended it. `turn_limit`: it had as many turns as the suite allows.",
      }),
    ),
    field: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Name in the agent's `postCallExtraction`.",
      }),
    ),
    value: Type.Optional(
      Type.Unsafe<string | number | boolean | null>({
        type: ["string", "number", "boolean", "null"],
        maxLength: 1_000,
        description: "Value of the field. Texts are compared without regard to case and outer spaces.",
      }),
    ),
  },
  {
    title: "TestAssertion",
    description: "A condition that the conversation of an attempt must meet.",
    examples: [{ type: "tool_called", toolName: "look_up_order", arguments: { number: "1234" } }],
  },
);
export type TestAssertion = Static<typeof testAssertionSchema>;

export const testAssertionsSchema = Type.Array(testAssertionSchema, {
  maxItems: MAX_ASSERTIONS,
  description:
    "Conditions that are checked without a judge. An attempt passes if all of them hold, and the judge passes it if there is a " +
    "`scoringRubric`.",
});

const mockAnswerSchema = closedObject(
  {
    text: Type.String({
      maxLength: 20_000,
      description: "Answer of the tool, text or JSON, or the reason of its failure.",
      examples: ['{"status":"shipped"}'],
    }),
    isError: Type.Optional(Type.Boolean({ description: "`true`: the tool fails. Default: `false`." })),
    delayMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description:
          "Time until the answer, in milliseconds. Tools fail after 20 s, mocked or not. Default: `0`.",
      }),
    ),
  },
  { title: "ToolMockAnswer" },
);

export const toolMockSchema = closedObject(
  {
    toolName: toolNameSchema,
    arguments: Type.Optional(argumentsSchema),
    match: Type.Optional(matchSchema),
    answers: Type.Array(mockAnswerSchema, {
      minItems: 1,
      maxItems: 20,
      description: "Answers in turn, one for each call. The last one is repeated.",
    }),
  },
  {
    title: "ToolMock",
    description:
      "Answers of a custom tool in place of its server, which gets no request. The first mock whose arguments match answers. A call " +
      "that no mock of its tool matches fails; tools without a mock are called.",
    examples: [{ toolName: "look_up_order", answers: [{ text: '{"status":"shipped"}' }] }],
  },
);
export type ToolMock = Static<typeof toolMockSchema>;

export const toolMocksSchema = Type.Array(toolMockSchema, {
  maxItems: MAX_TOOL_MOCKS,
  description: "Answers in place of the servers of the agent's custom tools.",
});
