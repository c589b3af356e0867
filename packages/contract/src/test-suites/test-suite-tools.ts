/** What is made of calls and runs: cases from past calls, and comparisons. */
import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable } from "../schemas.ts";
import { testCaseSchema } from "./test-cases.ts";

const tag = "Test suites";
const suiteId = { ...idSchema, description: "Id of the test suite." };

const pastCallSchema = closedObject(
  {
    callId: Type.Optional({ ...idSchema, description: "Id of an ended call." }),
    conversationId: Type.Optional({
      ...idSchema,
      description:
        "Id of a conversation by text, with what was said so far. Either this or `callId` is required.",
    }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: "\\S",
        description: "Name of the case. Default: made of the time of the call or conversation.",
      }),
    ),
  },
  { title: "TestCaseFromCall" },
);
export type PastCall = Static<typeof pastCallSchema>;

export const createTestCaseFromCallRoute = defineRoute({
  method: "POST",
  path: "/test-suites/{id}/tests/from-call",
  operationId: "createTestCaseFromCall",
  tag,
  summary: "Create a test case from a past call or conversation",
  description:
    "The words of the caller or writer become `callerLines`, the answers of custom tools become `toolMocks`, and the calls of those tools and " +
    "the end of the call become `assertions`. Edit the case as any other. The call's variables become those of the case.",
  params: Type.Object({ id: suiteId }),
  body: pastCallSchema,
  status: 201,
  response: dataOf(testCaseSchema),
  errors: ["limit_reached", "call_not_ended", "transcript_deleted"],
});

const countsSchema = Type.Object(
  {
    pass: Type.Integer({ minimum: 0 }),
    fail: Type.Integer({ minimum: 0 }),
    error: Type.Integer({ minimum: 0 }),
    cancelled: Type.Integer({ minimum: 0 }),
    passRate: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: "Share of passes among `pass`, `fail` and `error`. Null: there is none of these.",
      }),
    ),
    isFlaky: Type.Boolean({ description: "Whether some attempts passed and others did not." }),
  },
  { title: "TestResultCounts", description: "Attempts of a case by result." },
);
export type TestResultCounts = Static<typeof countsSchema>;

export const comparisonChanges = ["better", "same", "worse", "added", "removed"] as const;

const comparisonSchema = Type.Object(
  {
    runId: idSchema,
    baseRunId: nullable({
      ...idSchema,
      description: "Run that it is compared with. Null: no run of the suite precedes it.",
    }),
    tests: Type.Array(
      Type.Object({
        testCaseId: idSchema,
        testCaseName: Type.String(),
        run: Type.Union([countsSchema, Type.Null()]),
        base: Type.Union([countsSchema, Type.Null()]),
        change: Type.Enum([...comparisonChanges], {
          description:
            "By the pass rate. `added`, `removed`: only one of the runs has the case, or has results of it.",
        }),
      }),
      { description: "Cases of either run." },
    ),
  },
  { title: "TestRunComparison" },
);
export type TestRunComparison = Static<typeof comparisonSchema>;

export const compareTestRunsRoute = defineRoute({
  method: "GET",
  path: "/test-suites/{id}/runs/{runId}/comparison",
  operationId: "compareTestRuns",
  tag,
  summary: "Compare a run with another one",
  description:
    "Compares the results case by case, for example of two revisions of the agent, and shows which cases are flaky.",
  params: Type.Object({ id: suiteId, runId: { ...idSchema, description: "Id of the run." } }),
  query: closedObject({
    base: Type.Optional({
      ...idSchema,
      description: "Id of the run of the same suite to compare with. Default: the one before.",
    }),
  }),
  status: 200,
  response: dataOf(comparisonSchema),
});
