import type {
  AttemptResult,
  TestAssertionResult,
  TestCaseDefinition,
  TestEndReason,
  TestEvidence,
  TestMode,
  TestRunStatus,
  Variables,
} from "@parley/contract";
import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

const organizationId = () =>
  uuid("organization_id")
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" });

export const testSuites = pgTable(
  "test_suites",
  {
    id: primaryId(),
    organizationId: organizationId(),
    name: text("name").notNull(),
    /** No foreign key: results outlive the agent. */
    agentId: uuid("agent_id").notNull(),
    mode: text("mode").$type<TestMode>().notNull(),
    defaultVariables: jsonb("default_variables").$type<Variables>().notNull(),
    testerModel: text("tester_model").notNull(),
    judgeModel: text("judge_model").notNull(),
    maxTurns: integer("max_turns").notNull(),
    maxDurationSeconds: integer("max_duration_seconds").notNull(),
    isReleaseGate: boolean("is_release_gate").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("test_suites_organization").on(table.organizationId, table.createdAt)],
);

export const testCases = pgTable(
  "test_cases",
  {
    id: primaryId(),
    testSuiteId: uuid("test_suite_id")
      .notNull()
      .references(() => testSuites.id, { onDelete: "cascade" }),
    /** Order of creation. */
    position: bigserial("position", { mode: "number" }).notNull(),
    name: text("name").notNull(),
    definition: jsonb("definition").$type<TestCaseDefinition>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("test_cases_suite").on(table.testSuiteId, table.position)],
);

export const testRuns = pgTable(
  "test_runs",
  {
    id: primaryId(),
    organizationId: organizationId(),
    testSuiteId: uuid("test_suite_id")
      .notNull()
      .references(() => testSuites.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    status: text("status").$type<TestRunStatus>().notNull(),
    mode: text("mode").$type<TestMode>().notNull(),
    /** As requested; null is the draft. */
    environment: text("environment"),
    variables: jsonb("variables").$type<Variables>().notNull(),
    // The configuration that runs, regardless of later changes.
    agentId: uuid("agent_id").notNull(),
    agentRevision: integer("agent_revision"),
    configurationRevision: integer("configuration_revision").notNull(),
    testerModel: text("tester_model").notNull(),
    judgeModel: text("judge_model").notNull(),
    maxTurns: integer("max_turns").notNull(),
    maxDurationSeconds: integer("max_duration_seconds").notNull(),
    // Exact: every change of an attempt's result locks the run.
    totalTests: integer("total_tests").notNull(),
    passedTests: integer("passed_tests").notNull().default(0),
    failedTests: integer("failed_tests").notNull().default(0),
    totalAttempts: integer("total_attempts").notNull(),
    completedAttempts: integer("completed_attempts").notNull().default(0),
    startedAt: instant("started_at"),
    completedAt: instant("completed_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("test_runs_suite").on(table.testSuiteId, table.createdAt)],
);

/** The cases of a run, as they were when it started. */
export const testRunCases = pgTable(
  "test_run_cases",
  {
    runId: uuid("run_id")
      .notNull()
      .references(() => testRuns.id, { onDelete: "cascade" }),
    /** No foreign key: the case may be deleted. */
    testCaseId: uuid("test_case_id").notNull(),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    definition: jsonb("definition").$type<TestCaseDefinition>().notNull(),
    /** Of the agent, its environment, the suite, the case and the run. */
    variables: jsonb("variables").$type<Variables>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.testCaseId] })],
);

/** Attempts of runs; those without a result are the queue of the nodes. */
export const testAttempts = pgTable(
  "test_attempts",
  {
    id: primaryId(),
    organizationId: organizationId(),
    runId: uuid("run_id")
      .notNull()
      .references(() => testRuns.id, { onDelete: "cascade" }),
    testCaseId: uuid("test_case_id").notNull(),
    attemptNumber: integer("attempt_number").notNull(),
    /** Order within the run: the first attempts of all cases, then the second ones. */
    position: integer("position").notNull(),
    mode: text("mode").$type<TestMode>().notNull(),
    result: text("result").$type<AttemptResult>(),
    reasoning: text("reasoning"),
    evidence: jsonb("evidence").$type<TestEvidence[]>().notNull().default([]),
    assertions: jsonb("assertions").$type<TestAssertionResult[]>().notNull().default([]),
    endReason: text("end_reason").$type<TestEndReason>(),
    conversationId: uuid("conversation_id"),
    callId: uuid("call_id"),
    inboundCallId: uuid("inbound_call_id"),
    /** Not claimed before this time. */
    dueAt: instant("due_at").notNull(),
    /** The node that carries the attempt has it until then, unless it renews the claim. */
    claimId: uuid("claim_id"),
    claimedUntil: instant("claimed_until"),
    /** Claims that did not end in a result or a release. */
    lostClaims: integer("lost_claims").notNull().default(0),
    createdAt: createdAt(),
    startedAt: instant("started_at"),
    completedAt: instant("completed_at"),
  },
  (table) => [
    uniqueIndex("test_attempts_number").on(table.runId, table.testCaseId, table.attemptNumber),
    index("test_attempts_conversation").on(table.conversationId),
    index("test_attempts_open")
      .on(table.organizationId, table.dueAt, table.position)
      .where(sql`${table.result} is null`),
  ],
);
