import { type Static, Type } from "typebox";
import { ranSchemas, transcriptItemSchema } from "../conversations/conversations.ts";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  idSchema,
  nullable,
  nullableEnum,
  pageOf,
  pageQuery,
  requestedEnvironmentSchema,
  timestampSchema,
  variablesSchema,
} from "../schemas.ts";
import { MAX_ATTEMPTS_PER_RUN } from "./test-cases.ts";
import { assertionTypes, testEndReasons } from "./test-expectations.ts";
import { testModeMeaning, testModes } from "./test-suites.ts";

const tag = "Test suites";
const suiteId = { ...idSchema, description: "Id of the test suite." };
const suiteParams = Type.Object({ id: suiteId });
const params = Type.Object({ id: suiteId, runId: { ...idSchema, description: "Id of the run." } });

export const testRunStatuses = ["queued", "running", "completed", "cancelled"] as const;
export type TestRunStatus = (typeof testRunStatuses)[number];

export const attemptResults = ["pass", "fail", "error", "cancelled"] as const;
export type AttemptResult = (typeof attemptResults)[number];

const evidenceSchema = Type.Object(
  {
    quote: Type.String({ description: "Words of the conversation, as they are in the transcript." }),
    itemId: Type.String({ description: "Id of the transcript item that contains them." }),
  },
  { title: "TestEvidence" },
);
export type TestEvidence = Static<typeof evidenceSchema>;

const assertionResultSchema = Type.Object(
  {
    type: Type.Enum([...assertionTypes]),
    passed: Type.Boolean(),
    detail: Type.String({ description: "What was expected and what happened, in one sentence." }),
  },
  { title: "TestAssertionResult" },
);
export type TestAssertionResult = Static<typeof assertionResultSchema>;

const attemptSchema = Type.Object(
  {
    id: idSchema,
    testCaseId: { ...idSchema, description: "Id of the test case, which may have been deleted since." },
    testCaseName: Type.String({ description: "Name of the case when the run started." }),
    attemptNumber: Type.Integer({
      minimum: 1,
      description: "Number among the attempts of the case, from 1.",
    }),
    callId: nullable({
      ...idSchema,
      description: "The tester's outbound call. Null: no voice run, or it has not begun.",
    }),
    inboundCallId: nullable({
      ...idSchema,
      description: "The agent's inbound call. Null: no voice run, or it has not begun.",
    }),
    conversationId: nullable({
      ...idSchema,
      description: "The agent's conversation. Null: it has not begun.",
    }),
    result: nullableEnum(attemptResults, {
      description:
        "Null until the attempt is judged. `error`: no verdict is possible, for example because a model failed or the judge did not " +
        "decide; never counted as passed.",
    }),
    reasoning: nullable(Type.String({ description: "Why this is the result. Null: there is none yet." })),
    evidence: Type.Array(evidenceSchema, {
      description: "Quotes with which the judge supports the result. Each is in the transcript.",
    }),
    assertions: Type.Array(assertionResultSchema, {
      description: "The case's `assertions`, in their order, once they were checked.",
    }),
    endReason: nullableEnum(testEndReasons, {
      description: "How the conversation ended. Null: it has not, or it never began.",
    }),
    transcript: Type.Array(transcriptItemSchema, {
      description: "What was said so far, of a running attempt too. Empty if the conversation was deleted.",
    }),
    variables: {
      ...variablesSchema,
      description: "Variables of the conversation, without the built-in ones.",
    },
    createdAt: timestampSchema,
    startedAt: nullable({ ...timestampSchema, description: "Null: it waits." }),
    completedAt: nullable({ ...timestampSchema, description: "Null: it has no result yet." }),
  },
  { title: "TestAttempt", description: "One conversation of a tester with the agent." },
);
export type TestAttempt = Static<typeof attemptSchema>;

const runFields = {
  id: idSchema,
  testSuiteId: suiteId,
  name: Type.String({ examples: ["Before the release"] }),
  status: Type.Enum([...testRunStatuses], {
    description: "`completed`: every attempt has a result. `completed` and `cancelled` are final.",
  }),
  totalTests: Type.Integer({ minimum: 0, description: "Number of cases." }),
  passedTests: Type.Integer({ minimum: 0, description: "Cases whose attempts all passed." }),
  failedTests: Type.Integer({
    minimum: 0,
    description: "Cases with an attempt that failed, or ended in an error.",
  }),
  totalAttempts: Type.Integer({ minimum: 0, description: "Number of attempts." }),
  completedAttempts: Type.Integer({ minimum: 0, description: "Attempts with a result." }),
  mode: Type.Enum([...testModes], { description: testModeMeaning }),
  agentId: { ...idSchema, description: "Id of the agent that was tested." },
  ...ranSchemas,
  environment: nullable(
    Type.String({
      description: "Environment that runs. Null: the draft as it was saved when the run started.",
    }),
  ),
  variables: { ...variablesSchema, description: "Variables of this run." },
  startedAt: nullable({ ...timestampSchema, description: "Start of the first attempt. Null: not yet." }),
  completedAt: nullable({ ...timestampSchema, description: "End or cancellation. Null: not yet." }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
};

export const testRunSchema = Type.Object(
  { ...runFields, attempts: Type.Optional(Type.Array(attemptSchema, { description: "Attempts, by case." })) },
  { title: "TestRun" },
);
export type TestRun = Static<typeof testRunSchema>;

const runDetailSchema = Type.Object(
  { ...runFields, attempts: Type.Array(attemptSchema, { description: "Attempts, by case." }) },
  { title: "TestRunDetail" },
);
export type TestRunDetail = Static<typeof runDetailSchema>;

const startSchema = closedObject(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: "\\S",
        description: "Display name. Default: made of the suite's name and the time.",
        examples: ["Before the release"],
      }),
    ),
    testCaseIds: Type.Optional(
      Type.Array(idSchema, {
        maxItems: 1_000,
        description:
          "Runs only these cases. Ids of no case of the suite are ignored; if none is left, the answer is `no_test_cases`. " +
          "Default: all.",
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...testModes], {
        description: `Test type of this run. Default: the suite's. ${testModeMeaning}`,
      }),
    ),
    environment: Type.Optional(
      requestedEnvironmentSchema(
        "Environment of the agent. Absent or null: the saved draft. `production`: the published revision.",
      ),
    ),
    variables: Type.Optional({
      ...variablesSchema,
      description: "Variables of this run. They override those of the agent, environment, suite and case.",
    }),
  },
  { title: "TestRunStart" },
);
export type TestRunStart = Static<typeof startSchema>;

export const startTestRunRoute = defineRoute({
  method: "POST",
  path: "/test-suites/{id}/runs",
  operationId: "startTestRun",
  tag,
  summary: "Start a run of a test suite",
  description:
    "The configuration of the agent, the cases and the variables are fixed now; later changes have no effect on the run. " +
    "Attempts run side by side within the organization's limit `concurrentTestAttempts`. " +
    `At most ${MAX_ATTEMPTS_PER_RUN} attempts in a run. Transfers, keypad tones and \`send_message\` are simulated. ` +
    "`llm_not_configured`: a case needs a language model; cases with `callerLines` and without a `scoringRubric` need none.",
  params: suiteParams,
  body: startSchema,
  status: 201,
  response: dataOf(testRunSchema),
  errors: ["environment_not_found", "no_test_cases", "llm_not_configured"],
});

export const listTestRunsRoute = defineRoute({
  method: "GET",
  path: "/test-suites/{id}/runs",
  operationId: "listTestRuns",
  tag,
  summary: "List the runs of a test suite",
  params: suiteParams,
  query: closedObject({
    ...pageQuery,
    includeAttempts: Type.Boolean({
      default: false,
      description: `\`true\`: with their attempts. A page with more than ${MAX_ATTEMPTS_PER_RUN} attempts is refused: choose a smaller \`pageSize\`.`,
    }),
  }),
  status: 200,
  response: pageOf(testRunSchema),
});

export const getTestRunRoute = defineRoute({
  method: "GET",
  path: "/test-suites/{id}/runs/{runId}",
  operationId: "getTestRun",
  tag,
  summary: "Get a run with its attempts",
  params,
  status: 200,
  response: dataOf(runDetailSchema),
});

export const cancelTestRunRoute = defineRoute({
  method: "POST",
  path: "/test-suites/{id}/runs/{runId}/cancel",
  operationId: "cancelTestRun",
  tag,
  summary: "Cancel a run",
  description:
    "Attempts in progress are ended: calls are hung up. Attempts without a result become `cancelled`.",
  params,
  status: 200,
  response: dataOf(testRunSchema),
  errors: ["run_not_cancellable"],
});
