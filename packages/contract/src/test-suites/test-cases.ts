import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  nullableEnum,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";
import { testAssertionsSchema, toolMocksSchema } from "./test-expectations.ts";

const tag = "Test suites";
const suiteId = { ...idSchema, description: "Id of the test suite." };
const suiteParams = Type.Object({ id: suiteId });
const params = Type.Object({
  id: suiteId,
  testId: { ...idSchema, description: "Id of the test case." },
});

/** Attempts of one run. */
export const MAX_ATTEMPTS_PER_RUN = 1_000;
/** Bytes of the cases of one suite as JSON. */
export const MAX_TEST_SUITE_BYTES = 16 * 2 ** 20;

const nameSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "\\S",
  description: "Display name.",
  examples: ["Asks for an order"],
});
const scriptSchema = Type.String({
  maxLength: 20_000,
  description:
    "Who the tester is, what they want and how they behave, for the language model that plays them. Variables are rendered. " +
    "Without effect if there are `callerLines`. Default: empty.",
  examples: ["You are Ada. Ask where order 1234 is, then say goodbye."],
});
const rubricSchema = Type.String({
  maxLength: 20_000,
  description:
    "What the judge, a language model, requires of the conversation. Variables are rendered. Empty: there is no judge, and the " +
    "`assertions` decide. Default: empty.",
  examples: ["The agent says that the order has been shipped, and stays polite."],
});
const attemptsSchema = Type.Integer({
  minimum: 1,
  maximum: 20,
  description: "Attempts of this case in each run. Default: `1`.",
  examples: [1],
});
const caseVariablesSchema = {
  ...variablesSchema,
  description:
    "Variables of this case. They override the suite's `defaultVariables`; those of a run override them.",
};
const callerLinesSchema = Type.Array(Type.String({ minLength: 1, maxLength: 4_000, pattern: "\\S" }), {
  maxItems: 100,
  description:
    "What the tester says, word for word, one line in each turn; after the agent's last reply the tester ends the conversation. " +
    "In runs by voice the line `[press 12#]` presses these keys. Variables are rendered. Such a case needs no language model for its tester. Default: empty, and the tester plays `script`.",
  examples: [["Where is order 1234?", "Thank you, goodbye."]],
});

export const noiseLevels = ["none", "low", "medium", "high"] as const;

const conditions = {
  backgroundNoise: {
    description:
      "Noise behind the tester. Speech on the telephone is at about -20 dB of full scale; `low` is at -55, `medium` at -45, " +
      "`high` at -35. Default: `none`.",
  },
  packetLossPercent: {
    minimum: 0,
    maximum: 50,
    description:
      "Share of the tester's audio packets that do not reach the agent, in percent; the same packets in every call. Default: `0`.",
  },
  interruptsAfterMs: {
    minimum: 200,
    maximum: 30_000,
    description:
      "Time of the agent's speech in milliseconds after which the tester speaks over it, without having heard the rest. Null " +
      "(default): it listens to the end.",
  },
  silentAfterTurns: {
    minimum: 0,
    maximum: 100,
    description:
      "Number of its turns after which the tester says nothing, and does not hang up either. Null (default): never.",
  },
} as const;
const conditionsMeaning =
  "Conditions under which the tester calls. They apply to runs of the mode `voice`; runs by text do without them.";

const callerConditionsSchema = Type.Object(
  {
    backgroundNoise: Type.Enum([...noiseLevels], { description: conditions.backgroundNoise.description }),
    packetLossPercent: Type.Number(conditions.packetLossPercent),
    interruptsAfterMs: nullable(Type.Integer(conditions.interruptsAfterMs)),
    silentAfterTurns: nullable(Type.Integer(conditions.silentAfterTurns)),
  },
  { title: "CallerConditions", description: conditionsMeaning },
);
export type CallerConditions = Static<typeof callerConditionsSchema>;

const callerConditionsChangeSchema = closedObject(
  {
    backgroundNoise: Type.Optional(
      nullableEnum(noiseLevels, { description: conditions.backgroundNoise.description }),
    ),
    packetLossPercent: Type.Optional(nullable(Type.Number(conditions.packetLossPercent))),
    interruptsAfterMs: Type.Optional(nullable(Type.Integer(conditions.interruptsAfterMs))),
    silentAfterTurns: Type.Optional(nullable(Type.Integer(conditions.silentAfterTurns))),
  },
  {
    title: "CallerConditionsChange",
    description: `${conditionsMeaning} Absent fields stay, null resets one to its default.`,
    examples: [{ backgroundNoise: "medium", packetLossPercent: 5 }],
  },
);

const definition = {
  script: scriptSchema,
  scoringRubric: rubricSchema,
  attemptsPerRun: attemptsSchema,
  variables: caseVariablesSchema,
  callerLines: callerLinesSchema,
  callerConditions: callerConditionsSchema,
  assertions: testAssertionsSchema,
  toolMocks: toolMocksSchema,
};

/** The part of a case that a run needs. */
const definitionSchema = Type.Object(definition);
export type TestCaseDefinition = Static<typeof definitionSchema>;

export const DEFAULT_TEST_CASE: TestCaseDefinition = {
  script: "",
  scoringRubric: "",
  attemptsPerRun: 1,
  variables: {},
  callerLines: [],
  callerConditions: {
    backgroundNoise: "none",
    packetLossPercent: 0,
    interruptsAfterMs: null,
    silentAfterTurns: null,
  },
  assertions: [],
  toolMocks: [],
};

export const testCaseSchema = Type.Object(
  {
    id: idSchema,
    testSuiteId: suiteId,
    name: nameSchema,
    ...definition,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  {
    title: "TestCase",
    description: "A conversation that a tester has with the agent, and what it must lead to.",
  },
);
export type TestCase = Static<typeof testCaseSchema>;

const fields = {
  script: Type.Optional(nullable(scriptSchema)),
  scoringRubric: Type.Optional(nullable(rubricSchema)),
  attemptsPerRun: Type.Optional(nullable(attemptsSchema)),
  variables: Type.Optional(nullable(caseVariablesSchema)),
  callerLines: Type.Optional(nullable(callerLinesSchema)),
  callerConditions: Type.Optional(nullable(callerConditionsChangeSchema)),
  assertions: Type.Optional(nullable(testAssertionsSchema)),
  toolMocks: Type.Optional(nullable(toolMocksSchema)),
  id: ignored,
  testSuiteId: ignored,
  createdAt: ignored,
  updatedAt: ignored,
};

const creationSchema = closedObject(
  { name: nameSchema, ...fields },
  {
    title: "TestCaseCreate",
    description: "Needs a `script` or `callerLines`, and a `scoringRubric` or `assertions`.",
    examples: [
      {
        name: "Asks for an order",
        script: "You are Ada. Ask where order 1234 is, then say goodbye.",
        scoringRubric: "The agent says that the order has been shipped, and stays polite.",
      },
    ],
  },
);
export type TestCaseCreation = Static<typeof creationSchema>;

const updateSchema = closedObject(
  { name: Type.Optional(nameSchema), ...fields },
  { title: "TestCaseUpdate" },
);
export type TestCaseChange = Static<typeof updateSchema>;

export const createTestCaseRoute = defineRoute({
  method: "POST",
  path: "/test-suites/{id}/tests",
  operationId: "createTestCase",
  tag,
  summary: "Create a test case",
  description: `The cases of a suite have at most ${MAX_TEST_SUITE_BYTES / 2 ** 20} MiB as JSON.`,
  params: suiteParams,
  body: creationSchema,
  status: 201,
  response: dataOf(testCaseSchema),
  errors: ["limit_reached"],
});

export const listTestCasesRoute = defineRoute({
  method: "GET",
  path: "/test-suites/{id}/tests",
  operationId: "listTestCases",
  tag,
  summary: "List the cases of a test suite",
  description: "All cases, in the order of their creation.",
  params: suiteParams,
  status: 200,
  response: dataOf(Type.Array(testCaseSchema)),
});

export const getTestCaseRoute = defineRoute({
  method: "GET",
  path: "/test-suites/{id}/tests/{testId}",
  operationId: "getTestCase",
  tag,
  summary: "Get a test case",
  params,
  status: 200,
  response: dataOf(testCaseSchema),
});

export const updateTestCaseRoute = defineRoute({
  method: "PATCH",
  path: "/test-suites/{id}/tests/{testId}",
  operationId: "updateTestCase",
  tag,
  summary: "Change a test case",
  description:
    "`variables` and lists are replaced, and null resets a field to its default. Runs that have started keep the case as it was.",
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(testCaseSchema),
  errors: ["limit_reached"],
});

export const deleteTestCaseRoute = defineRoute({
  method: "DELETE",
  path: "/test-suites/{id}/tests/{testId}",
  operationId: "deleteTestCase",
  tag,
  summary: "Delete a test case",
  description: "Attempts of earlier runs are kept.",
  params,
  status: 200,
  response: deletedResponse,
});
