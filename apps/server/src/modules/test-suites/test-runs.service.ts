import {
  MAX_ATTEMPTS_PER_RUN,
  type PageQuery,
  type TestAttempt,
  type TestMode,
  type TestRun,
  type TestRunComparison,
  type TestRunDetail,
  type TestRunStart,
} from "@parley/contract";
import { AppError, invalidBody, invalidQuery } from "../../platform/app-error.ts";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import { type CaseResults, compareRuns } from "./comparison.rules.ts";
import type { AttemptCarrier } from "./engine/attempt-carrier.ts";
import { carrierOf } from "./engine/attempt-runner.ts";
import { needsLanguageModel } from "./test-cases.rules.ts";
import { isTooMany, nameRun, planAttempts, presentAttempts, presentRun } from "./test-runs.rules.ts";
import * as runs from "./test-runs.store.ts";
import * as suites from "./test-suites.store.ts";

/** Topic of new attempts; the row is the run. */
export const TEST_RUNS_TOPIC = "test_runs";
/** Topic of runs whose attempts end at once; the row is the run. */
export const CANCELLED_RUNS_TOPIC = "cancelled_test_runs";

export interface TestRunsDependencies {
  bus: Bus;
  clock: Clock;
  agentResolution: Pick<AgentResolution, "resolveAgent">;
  conversations: Pick<ConversationsService, "listTranscripts">;
  /** Whether the organization has a language model for this name. */
  hasLanguageModel: (organizationId: string, llmModel: string, queries: Queries) => Promise<boolean>;
  carriers: readonly AttemptCarrier[];
}

interface ListQuery extends PageQuery {
  includeAttempts: boolean;
}

/** Runs and their states. Each change of a result happens under the lock of the run. */
export class TestRunsService {
  readonly #database: Database;
  readonly #dependencies: TestRunsDependencies;

  constructor(database: Database, dependencies: TestRunsDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Fixes the configuration, the cases and the variables of a run, and queues its attempts. */
  async start(organizationId: string, suiteId: string, request: TestRunStart): Promise<TestRun> {
    const { bus, clock } = this.#dependencies;
    const suite = await this.#requireSuite(organizationId, suiteId);
    const { mode = suite.mode, environment = null, variables = {} } = request;
    const agent = await this.#resolve(suite, environment);
    await this.#requireMode(mode, agent);
    const row = await this.#database.transaction(async (transaction) => {
      const cases = await this.#chooseCases(transaction, suite, request.testCaseIds);
      const planned = planAttempts(cases);
      if (isTooMany(planned)) {
        const message = `chooses ${planned.length} attempts; a run has at most ${MAX_ATTEMPTS_PER_RUN}. Choose fewer cases`;
        throw invalidBody("testCaseIds", message);
      }
      const now = clock.now();
      const { testerModel, judgeModel, maxTurns, maxDurationSeconds } = suite;
      const { agentRevision, configurationRevision } = agent;
      const run = await runs.insertRun(transaction, {
        organizationId,
        testSuiteId: suiteId,
        name: request.name ?? nameRun(suite.name, now),
        status: "queued",
        mode,
        environment,
        variables,
        agentId: agent.id,
        agentRevision,
        configurationRevision,
        testerModel,
        judgeModel,
        maxTurns,
        maxDurationSeconds,
        totalTests: cases.length,
        totalAttempts: planned.length,
        createdAt: now,
        updatedAt: now,
      });
      const { id: runId } = run;
      await runs.insertRunCases(
        transaction,
        cases.map(({ id: testCaseId, name, definition }, position) => {
          const { defaultVariables } = suite;
          const merged = { ...agent.variables, ...defaultVariables, ...definition.variables, ...variables };
          return { runId, testCaseId, position, name, definition, variables: merged };
        }),
      );
      await runs.insertAttempts(
        transaction,
        planned.map((each) => ({ ...each, organizationId, runId, mode, dueAt: now, createdAt: now })),
      );
      await bus.publish(transaction, TEST_RUNS_TOPIC, runId);
      return run;
    });
    return presentRun(row);
  }

  async get(organizationId: string, suiteId: string, id: string): Promise<TestRunDetail> {
    const row = await this.#requireRun(organizationId, suiteId, id);
    const attempts = await this.#listAttempts([row.id]);
    return { ...presentRun(row), attempts: attempts.get(row.id) ?? [] };
  }

  async list(organizationId: string, suiteId: string, { includeAttempts, ...page }: ListQuery) {
    await this.#requireSuite(organizationId, suiteId);
    const found = await runs.listRuns(this.#database, organizationId, suiteId, page);
    if (!includeAttempts) return toPage(page, found, presentRun);
    const total = found.rows.reduce((sum, { totalAttempts }) => sum + totalAttempts, 0);
    if (total > MAX_ATTEMPTS_PER_RUN && found.rows.length > 1) {
      const message = `would return ${total} attempts with this pageSize; at most ${MAX_ATTEMPTS_PER_RUN} are returned. Choose a smaller pageSize`;
      throw invalidQuery("includeAttempts", message);
    }
    const attempts = await this.#listAttempts(found.rows.map(({ id }) => id));
    return toPage(page, found, (row): TestRun => ({
      ...presentRun(row),
      attempts: attempts.get(row.id) ?? [],
    }));
  }

  /** Compares a run with another one of its suite, or with the run before it. Throws `not_found` and `invalid_query`. */
  async compare(
    organizationId: string,
    suiteId: string,
    id: string,
    baseId: string | undefined,
  ): Promise<TestRunComparison> {
    const run = await this.#requireRun(organizationId, suiteId, id);
    const base =
      baseId === undefined
        ? await runs.findRunBefore(this.#database, run)
        : await runs.findRun(this.#database, organizationId, suiteId, baseId);
    if (base === undefined && baseId !== undefined)
      throw invalidQuery("base", "is the id of no run of this suite");
    const results = await this.#listResults(run.id);
    const baseResults = base === undefined ? [] : await this.#listResults(base.id);
    return { runId: run.id, baseRunId: base?.id ?? null, tests: compareRuns(results, baseResults) };
  }

  async #listResults(runId: string): Promise<CaseResults[]> {
    const cases = await runs.listRunCases(this.#database, [runId]);
    const counts = await runs.countResults(this.#database, runId);
    const countsOf = Map.groupBy(counts, ({ testCaseId }) => testCaseId);
    return cases.map(({ testCaseId, name }) => ({
      testCaseId,
      name,
      results: countsOf.get(testCaseId) ?? [],
    }));
  }

  /** Throws `not_found` and `run_not_cancellable`. */
  async cancel(organizationId: string, suiteId: string, id: string): Promise<TestRun> {
    await this.#requireRun(organizationId, suiteId, id);
    const row = await this.#database.transaction(async (transaction) => {
      const run = await runs.lockRun(transaction, id);
      if (run === undefined) throw new AppError("not_found");
      if (run.status === "completed" || run.status === "cancelled") throw new AppError("run_not_cancellable");
      const now = this.#dependencies.clock.now();
      await runs.endOpenAttempts(transaction, id, {
        result: "cancelled",
        reasoning: "The run was cancelled.",
        completedAt: now,
        claimId: null,
        claimedUntil: null,
      });
      await this.#dependencies.bus.publish(transaction, CANCELLED_RUNS_TOPIC, id);
      return await runs.updateRun(transaction, id, {
        status: "cancelled",
        completedAttempts: run.totalAttempts,
        completedAt: now,
        updatedAt: now,
      });
    });
    if (row === undefined) throw new AppError("not_found");
    return presentRun(row);
  }

  /** Ends the attempts of a suite that is being deleted. */
  async endAllOf(transaction: Queries, suiteId: string): Promise<void> {
    for (const id of await runs.listOpenRuns(transaction, suiteId))
      await this.#dependencies.bus.publish(transaction, CANCELLED_RUNS_TOPIC, id);
  }

  async #resolve(suite: suites.SuiteRow, environment: string | null): Promise<ResolvedAgent> {
    const { agentResolution } = this.#dependencies;
    try {
      const entry = { kind: "test_run", environment } as const;
      return await agentResolution.resolveAgent(suite.organizationId, suite.agentId, entry);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      const message = "The agent of this test suite was deleted. Set another agentId.";
      throw new AppError("not_found", { message });
    }
  }

  async #requireMode(mode: TestMode, agent: ResolvedAgent): Promise<void> {
    const carrier = carrierOf(this.#dependencies.carriers, mode);
    if (carrier === undefined)
      throw invalidBody("mode", `${mode} is not available yet: choose chat, sms or web_chat`);
    await carrier.requireUsable(mode, agent);
  }

  /** Throws `no_test_cases` and `llm_not_configured`. */
  async #chooseCases(
    transaction: Queries,
    suite: suites.SuiteRow,
    ids: readonly string[] | undefined,
  ): Promise<suites.CaseRow[]> {
    const { organizationId, testerModel, judgeModel } = suite;
    const all = await suites.listCases(transaction, suite.id);
    const cases = ids === undefined ? all : all.filter(({ id }) => ids.includes(id));
    if (cases.length === 0) throw new AppError("no_test_cases");
    if (!cases.some(({ definition }) => needsLanguageModel(definition))) return cases;
    for (const model of [testerModel, judgeModel])
      if (!(await this.#dependencies.hasLanguageModel(organizationId, model, transaction)))
        throw new AppError("llm_not_configured");
    return cases;
  }

  async #listAttempts(runIds: readonly string[]): Promise<ReadonlyMap<string, TestAttempt[]>> {
    const rows = await runs.listAttempts(this.#database, runIds);
    const cases = await runs.listRunCases(this.#database, runIds);
    const ids = rows.flatMap(({ conversationId }) => conversationId ?? []);
    const transcripts = await this.#dependencies.conversations.listTranscripts(ids);
    const casesOf = Map.groupBy(cases, ({ runId }) => runId);
    const groups = [...Map.groupBy(rows, ({ runId }) => runId)];
    return new Map(
      groups.map(([runId, attempts]) => [
        runId,
        presentAttempts(attempts, casesOf.get(runId) ?? [], transcripts),
      ]),
    );
  }

  async #requireSuite(organizationId: string, id: string): Promise<suites.SuiteRow> {
    const row = await suites.findSuite(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return row;
  }

  async #requireRun(organizationId: string, suiteId: string, id: string): Promise<runs.RunRow> {
    const row = await runs.findRun(this.#database, organizationId, suiteId, id);
    if (row === undefined) throw new AppError("not_found");
    return row;
  }
}
