import type { Agent, AgentChange, AgentCreation, Folder, PublishMode } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { FoldersService } from "../folders/folders.service.ts";
import {
  deleteNumbersOfTrunk,
  listAgentsOfTrunk,
  unbindNumbersOfAgent,
} from "../phone-numbers/numbers-of-agents.service.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { type AgentDocument, createDocument } from "./agent-document.rules.ts";
import { findProblems } from "./agent-problems.rules.ts";
import { type SavedAgent, writeChange, writeDocument } from "./agent-state.rules.ts";
import type { AgentWriter, Author } from "./agent-writer.ts";
import * as store from "./agents.store.ts";
import { findEnvironment } from "./versions/environments.store.ts";

interface PublishModeChange {
  publishMode?: PublishMode | null;
}

/** What an agent names of other resources. */
export type References = Pick<AgentDocument, "sipTrunkId" | "folderId" | "messagingConnectionId">;

export interface AgentsDependencies {
  writer: AgentWriter;
  sipTrunks: SipTrunksService;
  folders: FoldersService;
}

export class AgentsService {
  readonly #database: Database;
  readonly #writer: AgentWriter;
  readonly #sipTrunks: SipTrunksService;
  readonly #folders: FoldersService;

  constructor(database: Database, { writer, sipTrunks, folders }: AgentsDependencies) {
    this.#database = database;
    this.#writer = writer;
    this.#sipTrunks = sipTrunks;
    this.#folders = folders;
  }

  async create(by: Author, { publishMode, ...creation }: AgentCreation & PublishModeChange): Promise<Agent> {
    const document = createDocument(creation);
    requireUsable(document);
    if (document.widgetConfig.environment !== null) throw new AppError("environment_not_found");
    const saved = await this.#database.transaction(async (transaction) => {
      await this.#holdReferences(transaction, by.organizationId, document);
      const state = { document, publishMode: publishMode ?? "auto", publishedRevision: null };
      return await this.#writer.create(transaction, by, state);
    });
    return await this.present(saved);
  }

  async get(organizationId: string, id: string): Promise<Agent> {
    return await this.present(await this.read(organizationId, id));
  }

  /** As it is stored. Throws `not_found`. */
  async read(organizationId: string, id: string): Promise<SavedAgent> {
    const row = await store.findAgent(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return this.#writer.open(row);
  }

  async list(organizationId: string, filter: store.AgentFilter) {
    const { rows, total } = await store.listAgents(this.#database, organizationId, filter);
    const agents = rows.map((row) => this.#writer.open(row));
    const present = await this.#presenter(organizationId, agents);
    return toPage(filter, { rows: agents, total }, present);
  }

  /** A change that leaves everything as it is writes nothing. */
  async update(by: Author, id: string, change: AgentChange & PublishModeChange): Promise<Agent> {
    const saved = await this.#database.transaction(async (transaction) => {
      await this.#holdReferences(transaction, by.organizationId, change);
      return await this.#writer.write(transaction, by, id, async (before) => {
        const write = writeChange(before, change);
        const { document } = write.after;
        requireUsable(document);
        const { environment } = document.widgetConfig;
        // One that was deleted since is no reason to refuse a change of something else.
        if (environment !== null && environment !== before.document.widgetConfig.environment)
          await this.requireEnvironment(transaction, id, environment);
        return write;
      });
    });
    return await this.present(saved);
  }

  async delete(by: Author, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      await this.#writer.delete(transaction, by, id);
      await unbindNumbersOfAgent(transaction, id);
    });
  }

  /** Deletes a trunk with its numbers; the agents that had them get a version without. */
  async deleteTrunk(by: Author, sipTrunkId: string): Promise<void> {
    await this.#sipTrunks.delete(by.organizationId, sipTrunkId, async (transaction) => {
      const referring = await store.listAgentsReferringTo(transaction, { sipTrunkId });
      const agentIds = [...referring, ...(await listAgentsOfTrunk(transaction, sipTrunkId))];
      await this.#writer.lock(transaction, by, agentIds);
      const numbers = await deleteNumbersOfTrunk(transaction, sipTrunkId);
      await this.#release(transaction, by, agentIds, (document) => ({
        ...document,
        sipTrunkId: document.sipTrunkId === sipTrunkId ? null : document.sipTrunkId,
        phoneNumbers: document.phoneNumbers.filter(({ id }) => !numbers.includes(id)),
      }));
    });
  }

  /** Deletes a folder; its agents get a version without. */
  async deleteFolder(by: Author, folderId: string): Promise<void> {
    await this.#folders.delete(by.organizationId, folderId, async (transaction) => {
      const agentIds = await store.listAgentsReferringTo(transaction, { folderId });
      await this.#release(transaction, by, agentIds, (document) => ({ ...document, folderId: null }));
    });
  }

  /** Which of the references name something, which then stays until the transaction ends. */
  async findHeld(
    transaction: Queries,
    organizationId: string,
    { sipTrunkId, folderId }: Partial<References>,
  ): Promise<Record<keyof References, boolean>> {
    return {
      sipTrunkId:
        typeof sipTrunkId === "string" &&
        (await this.#sipTrunks.hold(transaction, organizationId, sipTrunkId)),
      folderId:
        typeof folderId === "string" && (await this.#folders.hold(transaction, organizationId, folderId)),
      messagingConnectionId: false,
    };
  }

  /** Throws `environment_not_found`. Call it with the agent's row locked: the environment then stays. */
  async requireEnvironment(transaction: Queries, agentId: string, name: string): Promise<void> {
    const found = await findEnvironment(transaction, agentId, name);
    if (found === undefined) throw new AppError("environment_not_found");
  }

  async present(agent: SavedAgent): Promise<Agent> {
    const present = await this.#presenter(agent.organizationId, [agent]);
    return present(agent);
  }

  async #release(
    transaction: Queries,
    by: Author,
    agentIds: readonly string[],
    change: (document: AgentDocument) => AgentDocument,
  ): Promise<void> {
    for (const id of await this.#writer.lock(transaction, by, agentIds)) {
      await this.#writer.write(transaction, by, id, (before) =>
        writeDocument(before, change(before.document)),
      );
    }
  }

  /** Before the agent is locked: whoever deletes what is referred to locks that first, and its agents then. */
  async #holdReferences(
    transaction: Queries,
    organizationId: string,
    change: Partial<References>,
  ): Promise<void> {
    const held = await this.findHeld(transaction, organizationId, change);
    for (const [name, what] of Object.entries(referenced) as [keyof References, string][]) {
      if (typeof change[name] === "string" && !held[name]) throw invalidBody(name, `names no ${what}`);
    }
  }

  async #presenter(
    organizationId: string,
    agents: readonly SavedAgent[],
  ): Promise<(agent: SavedAgent) => Agent> {
    const [trunkNames, folders] = await Promise.all([
      this.#sipTrunks.findNames(organizationId, distinct(agents, "sipTrunkId")),
      this.#folders.find(organizationId, distinct(agents, "folderId")),
    ]);
    return (agent) => {
      const { sipTrunkId, folderId } = agent.document;
      return presentAgent(agent, trunkNames.get(sipTrunkId ?? ""), folders.get(folderId ?? ""));
    };
  }
}

const referenced: Readonly<Record<keyof References, string>> = {
  sipTrunkId: "SIP trunk",
  folderId: "folder",
  messagingConnectionId: "messaging connection",
};

function distinct(agents: readonly SavedAgent[], reference: "sipTrunkId" | "folderId"): string[] {
  return [...new Set(agents.map(({ document }) => document[reference]).filter((id) => id !== null))];
}

function requireUsable(document: AgentDocument): void {
  const issues = findProblems(document);
  if (issues.length > 0) throw new AppError("invalid_body", { issues });
}

function presentAgent(agent: SavedAgent, trunkName: string | undefined, folder: Folder | undefined): Agent {
  const { schemaVersion: _schemaVersion, ...configuration } = agent.document;
  return {
    ...configuration,
    id: agent.id,
    sipTrunk: trunkName === undefined ? null : { friendlyName: trunkName },
    folder: folder === undefined ? null : { id: folder.id, name: folder.name, color: folder.color },
    widgetKey: agent.widgetKey,
    publishMode: agent.publishMode,
    publishedRevision: agent.publishedRevision,
    hasUnpublishedChanges: agent.hasUnpublishedChanges,
    createdAt: agent.createdAt.toISOString(),
    updatedAt: agent.updatedAt.toISOString(),
  };
}
