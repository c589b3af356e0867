import {
  type Agent,
  type AgentChange,
  type AgentCreation,
  type CustomToolCreation,
  type Folder,
  idSchema,
  keysOf,
  type PublishMode,
} from "@parley/contract";
import { Compile } from "typebox/compile";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Author } from "../../platform/author.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import type { MessagingConnectionsService } from "../messaging-connections/messaging-connections.service.ts";
import type { FoldersService } from "../folders/folders.service.ts";
import type { KnowledgeBasesService } from "../knowledge-bases/knowledge-bases.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { AgentChoices } from "../providers/agent-choices.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { type AgentDocument, changeDocument, createDocument } from "./agent-document.rules.ts";
import { findProblems, findUnusableUrls } from "./agent-problems.rules.ts";
import { type SavedAgent, writeChange, writeDocument } from "./agent-state.rules.ts";
import type { AgentWriter } from "./agent-writer.ts";
import * as store from "./agents.store.ts";
import { findNewFlowProblems } from "./flows/flow.rules.ts";
import { createTools } from "./tools/custom-tools.rules.ts";
import { agents } from "./agents.tables.ts";
import { findEnvironment } from "./versions/environments.store.ts";

const uuid = Compile(idSchema);

interface PublishModeChange {
  publishMode?: PublishMode | null;
}

interface Precondition {
  /** Time of the last write that the change is based on. */
  ifUpdatedAt?: string;
}

interface NewAgent extends AgentCreation, PublishModeChange {
  customTools?: readonly CustomToolCreation[] | null;
  /** Id of the agent that is copied, if the body is what GET gave. */
  id?: unknown;
}

/** An agent's references to other resources. */
export type References = Pick<AgentDocument, "sipTrunkId" | "folderId" | "messagingConnectionId">;

/** References that a change may contain; null resets them. */
type ReferencesToCheck = Partial<References> & { knowledgeBaseIds?: readonly string[] | null };

export interface AgentsDependencies {
  clock: Clock;
  writer: AgentWriter;
  sipTrunks: SipTrunksService;
  folders: FoldersService;
  knowledgeBases: KnowledgeBasesService;
  messagingConnections: MessagingConnectionsService;
  organizationLimits: OrganizationLimitsService;
  agentChoices: Pick<AgentChoices, "findProblems">;
}

export class AgentsService {
  readonly #database: Database;
  readonly #writer: AgentWriter;
  readonly #sipTrunks: SipTrunksService;
  readonly #folders: FoldersService;
  readonly #knowledgeBases: KnowledgeBasesService;
  readonly #messagingConnections: MessagingConnectionsService;
  readonly #clock: Clock;
  readonly #limits: OrganizationLimitsService;
  readonly #choices: Pick<AgentChoices, "findProblems">;
  /** Emitted when an agent is deleted; the event is its id. */
  readonly deleted = new TransactionEvent<string>();

  constructor(
    database: Database,
    {
      writer,
      sipTrunks,
      folders,
      knowledgeBases,
      messagingConnections,
      organizationLimits,
      agentChoices,
      clock,
    }: AgentsDependencies,
  ) {
    this.#database = database;
    this.#writer = writer;
    this.#sipTrunks = sipTrunks;
    this.#folders = folders;
    this.#knowledgeBases = knowledgeBases;
    this.#messagingConnections = messagingConnections;
    this.#clock = clock;
    this.#limits = organizationLimits;
    this.#choices = agentChoices;
  }

  /** What the copied agent has stored passes even if it would be refused today. */
  async create(by: Author, { publishMode, customTools, id, ...creation }: NewAgent): Promise<Agent> {
    const tools = createTools(customTools ?? [], this.#clock.now());
    const document = { ...createDocument(creation), customTools: tools };
    const original = await this.#findOriginal(by.organizationId, id);
    const before = original ?? createDocument({ name: "" });
    requireUsable(document, before);
    await this.#requireOffered(by.organizationId, document, before);
    const { widgetConfig } = document;
    // A new agent has no environments: a copy's widget runs production.
    if (original !== undefined && widgetConfig.environment === original.widgetConfig.environment)
      widgetConfig.environment = null;
    if (widgetConfig.environment !== null) throw new AppError("environment_not_found");
    const saved = await this.#database.transaction(async (transaction) => {
      await this.#requireReferences(transaction, by.organizationId, document);
      await requireOwnNumber(transaction, document, undefined);
      await this.#limits.requireRoom(transaction, by.organizationId, { name: "agents", table: agents });
      const state = { document, publishMode: publishMode ?? "auto", publishedRevision: null };
      return await this.#writer.create(transaction, by, state);
    });
    return await this.present(saved);
  }

  async get(organizationId: string, id: string): Promise<Agent> {
    return await this.present(await this.read(organizationId, id));
  }

  /** Returns the agent as stored. Throws `not_found`. */
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

  /** Writes nothing if nothing changes. */
  async update(
    by: Author,
    id: string,
    { ifUpdatedAt, ...change }: AgentChange & PublishModeChange & Precondition,
  ): Promise<Agent> {
    if (offered.some((field) => change[field] !== undefined)) {
      // Before the transaction, because it may wait for a provider.
      const { document } = await this.read(by.organizationId, id);
      await this.#requireOffered(by.organizationId, changeDocument(document, change), document);
    }
    const saved = await this.#database.transaction(async (transaction) => {
      await this.#requireReferences(transaction, by.organizationId, change);
      return await this.#writer.write(transaction, by, id, async (before) => {
        if (ifUpdatedAt !== undefined && Date.parse(ifUpdatedAt) !== before.updatedAt.getTime())
          throw new AppError("agent_changed");
        const write = writeChange(before, change);
        const { document } = write.after;
        requireUsable(document, before.document);
        await requireOwnNumber(transaction, document, id);
        const { environment } = document.widgetConfig;
        // An environment deleted since then does not block changes of other fields.
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
      await this.deleted.emit(transaction, id);
    });
  }

  /** Whether the agent exists. If it does, it cannot be deleted until the transaction ends. */
  async lockForReference(transaction: Queries, organizationId: string, id: string): Promise<boolean> {
    return await store.lockAgentForReference(transaction, organizationId, id);
  }

  /** Names of those of the ids that exist. */
  async findNames(organizationId: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    return new Map(
      (await store.findAgentNames(this.#database, organizationId, ids)).map(({ id, name }) => [id, name]),
    );
  }

  /** Ids of the agents that reference the trunk. */
  async listReferringToTrunk(transaction: Queries, sipTrunkId: string): Promise<string[]> {
    return await store.listAgentsReferringTo(transaction, { sipTrunkId });
  }

  /**
   * Ids of the agents whose draft or published version may have this number (E.164) for messages on this connection, the
   * oldest first.
   */
  async listMessagingCandidates(
    organizationId: string,
    messagingConnectionId: string,
    number: string,
  ): Promise<string[]> {
    return await store.listMessagingCandidates(this.#database, organizationId, messagingConnectionId, number);
  }

  /** Throws `in_use` if agents use the connection. */
  async requireConnectionUnused(transaction: Queries, messagingConnectionId: string): Promise<void> {
    const agentIds = await store.listAgentsReferringTo(transaction, { messagingConnectionId });
    if (agentIds.length > 0)
      throw new AppError("in_use", {
        message: `${agentIds.length} agent(s) use the messaging connection. Set their messagingConnectionId to null first.`,
      });
  }

  /** Removes the folder from each agent in it, with a version for each, in the transaction that deletes the folder. */
  async releaseFolder(transaction: Queries, by: Author, folderId: string): Promise<void> {
    const agentIds = await store.listAgentsReferringTo(transaction, { folderId });
    for (const id of await this.#writer.lock(transaction, by, agentIds)) {
      await this.#writer.write(transaction, by, id, (before) =>
        writeDocument(before, { ...before.document, folderId: null }),
      );
    }
  }

  /** Removes the knowledge base from each agent with it, with a version for each, in the transaction that deletes it. */
  async releaseKnowledgeBase(transaction: Queries, by: Author, knowledgeBaseId: string): Promise<void> {
    const agentIds = await store.listAgentsReferringTo(transaction, { knowledgeBaseId });
    for (const id of await this.#writer.lock(transaction, by, agentIds)) {
      await this.#writer.write(transaction, by, id, (before) => {
        const knowledgeBaseIds = before.document.knowledgeBaseIds.filter((each) => each !== knowledgeBaseId);
        return writeDocument(before, { ...before.document, knowledgeBaseIds });
      });
    }
  }

  /** Whether each referenced resource exists. Those that exist cannot be deleted until the transaction ends. */
  async lockReferences(
    transaction: Queries,
    organizationId: string,
    { sipTrunkId, folderId, messagingConnectionId }: Partial<References>,
  ): Promise<Record<keyof References, boolean>> {
    return {
      sipTrunkId:
        typeof sipTrunkId === "string" &&
        (await this.#sipTrunks.lockForReference(transaction, organizationId, sipTrunkId)),
      folderId:
        typeof folderId === "string" &&
        (await this.#folders.lockForReference(transaction, organizationId, folderId)),
      messagingConnectionId:
        typeof messagingConnectionId === "string" &&
        (await this.#messagingConnections.lockForReference(
          transaction,
          organizationId,
          messagingConnectionId,
        )),
    };
  }

  /**
   * Throws `environment_not_found`. The caller must hold the lock of the agent's row, which prevents the environment's
   * deletion.
   */
  async requireEnvironment(transaction: Queries, agentId: string, name: string): Promise<void> {
    const found = await findEnvironment(transaction, agentId, name);
    if (found === undefined) throw new AppError("environment_not_found");
  }

  async present(agent: SavedAgent): Promise<Agent> {
    const present = await this.#presenter(agent.organizationId, [agent]);
    return present(agent);
  }

  /** Throws `invalid_body` if a changed field names a voice, language or model that no provider offers. */
  async #requireOffered(
    organizationId: string,
    document: AgentDocument,
    before: AgentDocument,
  ): Promise<void> {
    const issues = await this.#choices.findProblems(organizationId, document, before);
    if (issues.length > 0) throw new AppError("invalid_body", { issues });
  }

  /** Runs before the agent is locked, because the deletion of a resource locks the resource first, then its agents. */
  async #requireReferences(
    transaction: Queries,
    organizationId: string,
    change: ReferencesToCheck,
  ): Promise<void> {
    const ids = change.knowledgeBaseIds ?? [];
    const known = await this.#knowledgeBases.lockForReference(transaction, organizationId, ids);
    const unknown = ids.findIndex((id) => !known.has(id));
    if (unknown >= 0)
      throw invalidBody(
        `knowledgeBaseIds.${unknown}`,
        "must be the id of a knowledge base of this organization",
      );
    const existing = await this.lockReferences(transaction, organizationId, change);
    for (const name of keysOf(referenced)) {
      if (typeof change[name] === "string" && !existing[name])
        throw invalidBody(name, `must be the id of a ${referenced[name]} of this organization`);
    }
  }

  /** Returns the agent with this id, which a body may contain without effect; `undefined` if it names none. */
  async #findOriginal(organizationId: string, id: unknown): Promise<AgentDocument | undefined> {
    if (typeof id !== "string" || !uuid.Check(id)) return undefined;
    const row = await store.findAgent(this.#database, organizationId, id);
    return row && this.#writer.open(row).document;
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

/** Fields that name what providers offer. */
const offered = ["voiceId", "fallbackVoiceId", "language", "llmModel"] as const;
const referenced = {
  sipTrunkId: "SIP trunk",
  folderId: "folder",
  messagingConnectionId: "messaging connection",
} as const;

function distinct(agents: readonly SavedAgent[], reference: "sipTrunkId" | "folderId"): string[] {
  return [...new Set(agents.map(({ document }) => document[reference]).filter((id) => id !== null))];
}

/** Throws `invalid_body` if another agent has the document's number for messages on the same connection. */
async function requireOwnNumber(
  transaction: Queries,
  { messagingConnectionId, messagingConfig: { fromNumber } }: AgentDocument,
  agentId: string | undefined,
): Promise<void> {
  if (messagingConnectionId === null || fromNumber === null) return;
  const owner = await store.findAgentWithMessagingNumber(transaction, messagingConnectionId, fromNumber);
  if (owner !== undefined && owner !== agentId)
    throw invalidBody("messagingConfig.fromNumber", "is the number of another agent on this connection");
}

/** Throws `invalid_body` if the document cannot be saved in place of the one before. */
function requireUsable(document: AgentDocument, before: AgentDocument): void {
  const issues = [
    ...findProblems(document),
    ...findNewFlowProblems(document, before),
    ...findUnusableUrls(document, before),
  ];
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
