import {
  DEFAULT_TEST_CASE,
  MAX_TEST_SUITE_BYTES,
  type TestCase,
  type TestCaseChange,
  type TestCaseCreation,
} from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { changeDefinition, findProblems } from "./test-cases.rules.ts";
import * as store from "./test-suites.store.ts";

export interface TestCasesDependencies {
  clock: Clock;
  organizationLimits: Pick<OrganizationLimitsService, "find">;
}

export class TestCasesService {
  readonly #database: Database;
  readonly #dependencies: TestCasesDependencies;

  constructor(database: Database, dependencies: TestCasesDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  async create(organizationId: string, suiteId: string, creation: TestCaseCreation): Promise<TestCase> {
    const definition = requireUsable(changeDefinition(DEFAULT_TEST_CASE, creation));
    const { name } = creation;
    return await this.#database.transaction(async (transaction) => {
      const suite = await store.lockSuite(transaction, organizationId, suiteId);
      if (suite === undefined) throw new AppError("not_found");
      await this.#requireRoom(transaction, organizationId, suiteId);
      const row = await store.insertCase(transaction, { testSuiteId: suiteId, name, definition });
      await requireSize(transaction, suiteId);
      return present(row);
    });
  }

  /** All cases of a suite, in the order of their creation. */
  async list(organizationId: string, suiteId: string): Promise<TestCase[]> {
    await this.requireSuite(organizationId, suiteId);
    return (await store.listCases(this.#database, suiteId)).map(present);
  }

  async get(organizationId: string, suiteId: string, id: string): Promise<TestCase> {
    await this.requireSuite(organizationId, suiteId);
    const row = await store.findCase(this.#database, suiteId, id);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async update(
    organizationId: string,
    suiteId: string,
    id: string,
    change: TestCaseChange,
  ): Promise<TestCase> {
    return await this.#database.transaction(async (transaction) => {
      const suite = await store.lockSuite(transaction, organizationId, suiteId);
      if (suite === undefined) throw new AppError("not_found");
      const before = await store.lockCase(transaction, suiteId, id);
      if (before === undefined) throw new AppError("not_found");
      const definition = requireUsable(changeDefinition(before.definition, change));
      const { name = before.name } = change;
      const updatedAt = this.#dependencies.clock.now();
      const row = await store.updateCase(transaction, id, { name, definition, updatedAt });
      await requireSize(transaction, suiteId);
      return present(row ?? before);
    });
  }

  async delete(organizationId: string, suiteId: string, id: string): Promise<void> {
    await this.requireSuite(organizationId, suiteId);
    if (!(await store.deleteCase(this.#database, suiteId, id))) throw new AppError("not_found");
  }

  /** Throws `not_found`. */
  async requireSuite(organizationId: string, suiteId: string): Promise<void> {
    if ((await store.findSuite(this.#database, organizationId, suiteId)) === undefined)
      throw new AppError("not_found");
  }

  async #requireRoom(transaction: Queries, organizationId: string, suiteId: string): Promise<void> {
    const { testCasesPerSuite: limit } = await this.#dependencies.organizationLimits.find(
      organizationId,
      transaction,
    );
    const totals = await store.countCases(transaction, [suiteId]);
    if ((totals.get(suiteId) ?? 0) < limit) return;
    const message = `A test suite has at most ${limit} cases. Create another suite, or ask the operator to raise the limit testCasesPerSuite.`;
    throw new AppError("limit_reached", { message });
  }
}

/** The cases of a suite are listed in one answer, and copied by each run. */
async function requireSize(transaction: Queries, suiteId: string): Promise<void> {
  if ((await store.sumSizes(transaction, suiteId)) <= MAX_TEST_SUITE_BYTES) return;
  const message = `The cases of a test suite have at most ${MAX_TEST_SUITE_BYTES / 2 ** 20} MiB as JSON. Shorten them, or create another suite.`;
  throw new AppError("limit_reached", { message });
}

function requireUsable(definition: store.CaseRow["definition"]): store.CaseRow["definition"] {
  const issues = findProblems(definition);
  if (issues.length > 0) throw new AppError("invalid_body", { issues });
  return definition;
}

function present({ id, testSuiteId, name, definition, createdAt, updatedAt }: store.CaseRow): TestCase {
  return {
    id,
    testSuiteId,
    name,
    ...definition,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
