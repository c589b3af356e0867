import {
  DEFAULT_TEST_SUITE,
  type Issue,
  type TestSuite,
  type TestSuiteChange,
  type TestSuiteCreation,
} from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { Principal } from "../../platform/http/principal.ts";
import { requireRole } from "../../platform/http/require-role.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { ModelChoices } from "../providers/agent-choices.ts";
import * as store from "./test-suites.store.ts";
import { testSuites } from "./test-suites.tables.ts";

export interface TestSuitesDependencies {
  clock: Clock;
  agents: Pick<AgentsService, "lockForReference">;
  agentChoices: ModelChoices;
  organizationLimits: Pick<OrganizationLimitsService, "requireRoom">;
}

/** Who changes a suite. */
type SuiteAuthor = Pick<Principal, "organizationId" | "role" | "actor">;

type Settings = Omit<
  store.SuiteRow,
  "id" | "organizationId" | "name" | "agentId" | "createdAt" | "updatedAt"
>;

export class TestSuitesService {
  /** Emitted before a suite is deleted, with the suite locked; the event is its id. */
  readonly deleting = new TransactionEvent<string>();
  readonly #database: Database;
  readonly #dependencies: TestSuitesDependencies;

  constructor(database: Database, dependencies: TestSuitesDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  async create(by: SuiteAuthor, creation: TestSuiteCreation): Promise<TestSuite> {
    const { organizationId } = by;
    const { clock, organizationLimits } = this.#dependencies;
    const { name, agentId } = creation;
    const settings = toSettings(DEFAULT_TEST_SUITE, creation);
    requireGateRight(by, DEFAULT_TEST_SUITE.isReleaseGate, settings.isReleaseGate);
    await this.#requireModels(organizationId, settings, DEFAULT_TEST_SUITE);
    const row = await this.#database.transaction(async (transaction) => {
      await this.#requireAgent(transaction, organizationId, agentId);
      await organizationLimits.requireRoom(transaction, organizationId, {
        name: "testSuites",
        table: testSuites,
      });
      const now = clock.now();
      const own = { organizationId, name, agentId, createdAt: now, updatedAt: now };
      return await store.insertSuite(transaction, { ...own, ...settings });
    });
    return present(row, 0);
  }

  async get(organizationId: string, id: string): Promise<TestSuite> {
    return await this.#present(await this.read(organizationId, id));
  }

  /** Returns the suite as stored. Throws `not_found`. */
  async read(organizationId: string, id: string, queries: Queries = this.#database): Promise<store.SuiteRow> {
    const row = await store.findSuite(queries, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return row;
  }

  async list(organizationId: string, filter: store.SuiteFilter) {
    const found = await store.listSuites(this.#database, organizationId, filter);
    const totals = await store.countCases(
      this.#database,
      found.rows.map(({ id }) => id),
    );
    return toPage(filter, found, (row) => present(row, totals.get(row.id) ?? 0));
  }

  async update(by: SuiteAuthor, id: string, change: TestSuiteChange): Promise<TestSuite> {
    const { organizationId } = by;
    const before = await this.read(organizationId, id);
    const settings = toSettings(before, change);
    requireGateRight(by, before.isReleaseGate, settings.isReleaseGate);
    await this.#requireModels(organizationId, settings, before);
    const { name = before.name, agentId = before.agentId } = change;
    const row = await this.#database.transaction(async (transaction) => {
      if (agentId !== before.agentId) await this.#requireAgent(transaction, organizationId, agentId);
      const now = this.#dependencies.clock.now();
      const changed = { ...changesOf({ ...settings, name, agentId }, before), updatedAt: now };
      return await store.updateSuite(transaction, organizationId, id, changed);
    });
    if (row === undefined) throw new AppError("not_found");
    return await this.#present(row);
  }

  async delete(by: SuiteAuthor, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await store.lockSuite(transaction, by.organizationId, id);
      if (row === undefined) throw new AppError("not_found");
      requireGateRight(by, row.isReleaseGate, false);
      await this.deleting.emit(transaction, id);
      await store.deleteSuite(transaction, id);
    });
  }

  async #present(row: store.SuiteRow): Promise<TestSuite> {
    const totals = await store.countCases(this.#database, [row.id]);
    return present(row, totals.get(row.id) ?? 0);
  }

  async #requireAgent(transaction: Queries, organizationId: string, agentId: string): Promise<void> {
    if (!(await this.#dependencies.agents.lockForReference(transaction, organizationId, agentId)))
      throw invalidBody("agentId", "is the id of no agent");
  }

  /** Models that were stored before do not block other changes. */
  async #requireModels(
    organizationId: string,
    settings: Settings,
    before: Pick<Settings, "testerModel" | "judgeModel">,
  ): Promise<void> {
    const { agentChoices } = this.#dependencies;
    const issues: Issue[] = [];
    for (const field of ["testerModel", "judgeModel"] as const)
      if (settings[field] !== before[field])
        issues.push(...(await agentChoices.findModelProblems(organizationId, field, settings[field])));
    if (issues.length > 0) throw new AppError("invalid_body", { issues });
  }
}

/** Throws `forbidden` if somebody who may not override a release gate would make or remove one. */
function requireGateRight(by: SuiteAuthor, before: boolean, after: boolean): void {
  if (before !== after) requireRole(by, "admin", "Making or removing a release gate");
}

/** Absent fields stay, null resets to the default. */
function toSettings(before: Settings, change: TestSuiteChange): Settings {
  const pick = <Name extends keyof Settings>(name: Name): Settings[Name] => {
    const value = change[name];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the field of the same name
    return value === undefined ? before[name] : ((value ?? DEFAULT_TEST_SUITE[name]) as Settings[Name]);
  };
  return {
    mode: pick("mode"),
    defaultVariables: pick("defaultVariables"),
    testerModel: pick("testerModel"),
    judgeModel: pick("judgeModel"),
    maxTurns: pick("maxTurns"),
    maxDurationSeconds: pick("maxDurationSeconds"),
    isReleaseGate: pick("isReleaseGate"),
  };
}

/** The fields that differ, so that two writers do not undo each other's changes. */
function changesOf<Fields extends object>(after: Fields, before: NoInfer<Fields>): Partial<Fields> {
  const changed = Object.entries(after).filter(([key, value]) => value !== Reflect.get(before, key));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of its own fields
  return Object.fromEntries(changed) as Partial<Fields>;
}

function present(row: store.SuiteRow, totalTests: number): TestSuite {
  const { id, name, agentId, mode, defaultVariables, testerModel, judgeModel } = row;
  const { maxTurns, maxDurationSeconds, isReleaseGate, createdAt, updatedAt } = row;
  return {
    id,
    name,
    agentId,
    mode,
    defaultVariables,
    testerModel,
    judgeModel,
    maxTurns,
    maxDurationSeconds,
    isReleaseGate,
    totalTests,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
