import { isDeepStrictEqual } from "node:util";
import { type Environment, type EnvironmentChange, PRODUCTION } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Queries } from "../../../platform/database/database.ts";
import type { SavedAgent } from "../agent-state.rules.ts";
import type { AgentWriter } from "../agent-writer.ts";
import type { AgentsService } from "../agents.service.ts";
import { findVersion, lockAgent } from "../agents.store.ts";
import {
  changeEnvironment,
  presentEnvironment,
  presentProduction,
  requirePuttable,
} from "./environments.rules.ts";
import * as store from "./environments.store.ts";

/** Environments of agents. The agent's row is locked while they change, and while numbers are bound to them. */
export class EnvironmentsService {
  readonly #database: Database;
  readonly #writer: AgentWriter;
  readonly #clock: Clock;
  readonly #agents: AgentsService;

  constructor(
    database: Database,
    { writer, agents, clock }: { writer: AgentWriter; agents: AgentsService; clock: Clock },
  ) {
    this.#database = database;
    this.#writer = writer;
    this.#clock = clock;
    this.#agents = agents;
  }

  async list(organizationId: string, agentId: string): Promise<Environment[]> {
    const agent = await this.#agents.read(organizationId, agentId);
    const rows = await store.listEnvironments(this.#database, agentId);
    return [presentProduction(agent, rows), ...rows.map((row) => presentEnvironment(agent, row))];
  }

  async get(organizationId: string, agentId: string, name: string): Promise<Environment> {
    const environment = (await this.list(organizationId, agentId)).find((each) => each.name === name);
    if (environment === undefined) throw new AppError("not_found");
    return environment;
  }

  async put(
    organizationId: string,
    agentId: string,
    name: string,
    change: EnvironmentChange,
  ): Promise<Environment> {
    return await this.#database.transaction(async (transaction) => {
      const agent = await this.#lock(transaction, organizationId, agentId);
      requirePuttable(name);
      if (typeof change.revision === "number") {
        const version = await findVersion(transaction, organizationId, agentId, change.revision);
        if (version === undefined) throw new AppError("revision_not_found");
      }
      const rows = await store.listEnvironments(transaction, agentId);
      const before = rows.find((row) => row.name === name);
      const after = changeEnvironment(before, rows.length, change);
      return presentEnvironment(
        agent,
        await save(transaction, { agentId, name }, before, after, this.#clock.now()),
      );
    });
  }

  async delete(organizationId: string, agentId: string, name: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const { document } = await this.#lock(transaction, organizationId, agentId);
      if (name === PRODUCTION) throw new AppError("environment_builtin");
      const row = await store.findEnvironment(transaction, agentId, name);
      if (row === undefined) throw new AppError("not_found");
      const isInUse = document.phoneNumbers.some(({ environment }) => environment === name);
      if (isInUse) throw new AppError("environment_in_use");
      await store.deleteEnvironment(transaction, agentId, name);
    });
  }

  async #lock(transaction: Queries, organizationId: string, agentId: string): Promise<SavedAgent> {
    const row = await lockAgent(transaction, organizationId, agentId);
    if (row === undefined) throw new AppError("not_found");
    return this.#writer.open(row);
  }
}

async function save(
  transaction: Queries,
  key: { agentId: string; name: string },
  before: store.EnvironmentRow | undefined,
  after: Pick<store.EnvironmentRow, "revision" | "variables">,
  now: Date,
): Promise<store.EnvironmentRow> {
  if (before === undefined) return await store.insertEnvironment(transaction, { ...key, ...after });
  const { revision, variables } = before;
  if (isDeepStrictEqual(after, { revision, variables })) return before;
  return await store.updateEnvironment(transaction, before, { ...after, updatedAt: now });
}
