import { randomUUID } from "node:crypto";
import type { CustomTool, CustomToolChange, CustomToolCreation } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import { writeDocument } from "../agent-state.rules.ts";
import type { Author } from "../../../platform/author.ts";
import type { AgentWriter } from "../agent-writer.ts";
import type { AgentsService } from "../agents.service.ts";
import { addTool, changeTool, findTool, removeTool } from "./custom-tools.rules.ts";

export class CustomToolsService {
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

  async create(by: Author, agentId: string, creation: CustomToolCreation): Promise<CustomTool> {
    const id = randomUUID();
    const tools = await this.#write(by, agentId, (before) =>
      addTool(before, id, creation, this.#clock.now()),
    );
    return findTool(tools, id);
  }

  async list(organizationId: string, agentId: string): Promise<CustomTool[]> {
    return (await this.#agents.read(organizationId, agentId)).document.customTools;
  }

  async get(organizationId: string, agentId: string, id: string): Promise<CustomTool> {
    return findTool(await this.list(organizationId, agentId), id);
  }

  /** Writes nothing if nothing changes. */
  async update(by: Author, agentId: string, id: string, change: CustomToolChange): Promise<CustomTool> {
    const tools = await this.#write(by, agentId, (before) =>
      changeTool(before, id, change, this.#clock.now()),
    );
    return findTool(tools, id);
  }

  async delete(by: Author, agentId: string, id: string): Promise<void> {
    await this.#write(by, agentId, (before) => removeTool(before, id));
  }

  async #write(
    by: Author,
    agentId: string,
    change: (tools: readonly CustomTool[]) => CustomTool[],
  ): Promise<CustomTool[]> {
    const { document } = await this.#database.transaction(async (transaction) => {
      return await this.#writer.write(transaction, by, agentId, (before) => {
        const customTools = change(before.document.customTools);
        return writeDocument(before, { ...before.document, customTools });
      });
    });
    return document.customTools;
  }
}
