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
  pageOf,
  pageQuery,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";

const tag = "Test suites";
const params = Type.Object({ id: { ...idSchema, description: "Id of the test suite." } });

export const testModes = ["chat", "voice", "sms", "web_chat"] as const;
export type TestMode = (typeof testModes)[number];

export const testModeMeaning =
  "`chat`: the agent of a call, in text: its prompt, first message and tools, and it can hang up. `sms` and `web_chat`: the agent of text " +
  "messages or of the widget, with the prompt of that channel. `voice`: two real calls.";

const nameSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "\\S",
  description: "Display name.",
  examples: ["Orders"],
});
const agentIdSchema = { ...idSchema, description: "Id of the agent that is tested." };
const modeSchema = Type.Enum([...testModes], { description: `Test type of runs. ${testModeMeaning}` });
const modelSchema = (who: string) =>
  Type.String({
    maxLength: 200,
    pattern: "^(service-standard|[^\\s/]+/\\S+)$",
    description: `Language model of the ${who}: \`service-standard\` or \`provider/model\`, as an agent's \`llmModel\`. Default: \`service-standard\`.`,
    examples: ["service-standard"],
  });
const defaultVariablesSchema = {
  ...variablesSchema,
  description:
    "Variables of all test cases. They override those of the agent and the environment; a case's own and a run's override them.",
};
const maxTurnsSchema = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: "Turns of the tester after which a conversation ends. Default: `20`.",
  examples: [20],
});
const maxDurationSchema = Type.Integer({
  minimum: 5,
  maximum: 3_600,
  description: "Longest duration of a conversation in seconds, after which it ends. Default: `300`.",
  examples: [300],
});

const gateSchema = Type.Boolean({
  description:
    "Whether the agent's revisions need this suite to be published: a completed run of all its cases on that revision, begun after the " +
    "last change of a case, in which every case passed. Otherwise publishing returns `release_gate_failed`, unless an admin sends " +
    "`overrideReleaseGate`. No effect while the agent's `publishMode` is `auto`. Making and removing a gate, also by deleting the suite, needs the role " +
    "`admin`. Default: `false`.",
});

export const DEFAULT_TEST_SUITE = {
  mode: "voice",
  isReleaseGate: false,
  defaultVariables: {},
  testerModel: "service-standard",
  judgeModel: "service-standard",
  maxTurns: 20,
  maxDurationSeconds: 300,
} as const;

export const testSuiteSchema = Type.Object(
  {
    id: idSchema,
    name: nameSchema,
    agentId: agentIdSchema,
    mode: modeSchema,
    defaultVariables: defaultVariablesSchema,
    testerModel: modelSchema("tester"),
    judgeModel: modelSchema("judge"),
    maxTurns: maxTurnsSchema,
    maxDurationSeconds: maxDurationSchema,
    isReleaseGate: gateSchema,
    totalTests: Type.Integer({ minimum: 0, description: "Number of test cases." }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "TestSuite", description: "Test cases of one agent." },
);
export type TestSuite = Static<typeof testSuiteSchema>;

const settings = {
  mode: Type.Optional(
    nullableEnum(testModes, {
      description: `Test type of runs. Default: \`voice\`. ${testModeMeaning}`,
      examples: ["chat"],
    }),
  ),
  defaultVariables: Type.Optional(nullable(defaultVariablesSchema)),
  testerModel: Type.Optional(nullable(modelSchema("tester"))),
  judgeModel: Type.Optional(nullable(modelSchema("judge"))),
  maxTurns: Type.Optional(nullable(maxTurnsSchema)),
  maxDurationSeconds: Type.Optional(nullable(maxDurationSchema)),
  isReleaseGate: Type.Optional(nullable(gateSchema)),
  id: ignored,
  totalTests: ignored,
  createdAt: ignored,
  updatedAt: ignored,
};

const creationSchema = closedObject(
  { name: nameSchema, agentId: agentIdSchema, ...settings },
  { title: "TestSuiteCreate" },
);
export type TestSuiteCreation = Static<typeof creationSchema>;

const updateSchema = closedObject(
  { name: Type.Optional(nameSchema), agentId: Type.Optional(agentIdSchema), ...settings },
  { title: "TestSuiteUpdate" },
);
export type TestSuiteChange = Static<typeof updateSchema>;

export const createTestSuiteRoute = defineRoute({
  method: "POST",
  path: "/test-suites",
  operationId: "createTestSuite",
  tag,
  summary: "Create a test suite",
  body: creationSchema,
  status: 201,
  response: dataOf(testSuiteSchema),
  errors: ["limit_reached"],
});

export const listTestSuitesRoute = defineRoute({
  method: "GET",
  path: "/test-suites",
  operationId: "listTestSuites",
  tag,
  summary: "List test suites",
  query: closedObject({ ...pageQuery, agentId: Type.Optional(idSchema) }),
  status: 200,
  response: pageOf(testSuiteSchema),
});

export const getTestSuiteRoute = defineRoute({
  method: "GET",
  path: "/test-suites/{id}",
  operationId: "getTestSuite",
  tag,
  summary: "Get a test suite",
  params,
  status: 200,
  response: dataOf(testSuiteSchema),
});

export const updateTestSuiteRoute = defineRoute({
  method: "PATCH",
  path: "/test-suites/{id}",
  operationId: "updateTestSuite",
  tag,
  summary: "Change a test suite",
  description:
    "`defaultVariables` is replaced, and null resets a field to its default. Runs that have started keep what they started with.",
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(testSuiteSchema),
});

export const deleteTestSuiteRoute = defineRoute({
  method: "DELETE",
  path: "/test-suites/{id}",
  operationId: "deleteTestSuite",
  tag,
  summary: "Delete a test suite",
  description:
    "Deletes the suite with its cases and runs, and ends the runs in progress. Calls and conversations of its runs are kept.",
  params,
  status: 200,
  response: deletedResponse,
});
