import type { Variables } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import type { Database, Queries } from "../../../platform/database/database.ts";
import type { CustomVoicesService } from "../../voices/custom-voices.service.ts";
import { type AgentDocument, withLiveFields } from "../agent-document.rules.ts";
import {
  chooseRevision,
  type EntryPoint,
  requestedEnvironment,
  type ResolvedAgent,
  resolveSnapshot,
} from "./agent-resolution.rules.ts";
import { liveRevision, type SavedAgent } from "../agent-state.rules.ts";
import type { AgentWriter } from "../agent-writer.ts";
import { findAgent, findRevisionsByWidgetKey } from "../agents.store.ts";
import { findEnvironment } from "./environments.store.ts";
import type { AgentSnapshots } from "./snapshots.ts";

/** An agent as it is published. */
export interface LiveAgent {
  id: string;
  organizationId: string;
  document: AgentDocument;
}

/** Configuration stored in a call's record. */
interface RecordedConfiguration {
  organizationId: string;
  agentId: string;
  agentRevision: number | null;
  configurationRevision: number | null;
  environment: string | null;
  /** Variables of the conversation, which may exceed the agent's. */
  variables: Variables;
}

/**
 * The only place that decides which snapshot and variables a conversation runs on. In what it returns, the organization's
 * own voices are replaced by those that speak.
 */
export class AgentResolution {
  readonly #database: Database;
  readonly #writer: AgentWriter;
  readonly #snapshots: AgentSnapshots;
  readonly #voices: Pick<CustomVoicesService, "resolve">;

  constructor(
    database: Database,
    {
      writer,
      snapshots,
      voices,
    }: { writer: AgentWriter; snapshots: AgentSnapshots; voices: Pick<CustomVoicesService, "resolve"> },
  ) {
    this.#database = database;
    this.#writer = writer;
    this.#snapshots = snapshots;
    this.#voices = voices;
  }

  /** Throws `not_found` and `environment_not_found`. */
  async resolveAgent(organizationId: string, agentId: string, entry: EntryPoint): Promise<ResolvedAgent> {
    const row = await findAgent(this.#database, organizationId, agentId);
    if (row === undefined) throw new AppError("not_found");
    const agent = this.#writer.open(row);
    // Only a widget's environment is part of the live revision.
    const live = entry.kind === "widget" ? await this.#read(agent, liveRevision(agent)) : agent.document;
    const requested = requestedEnvironment(entry, live);
    const named =
      requested === undefined ? undefined : await findEnvironment(this.#database, agentId, requested);
    const revision = chooseRevision(agent, entry, requested, named);
    const document = await this.#voices.resolve(organizationId, await this.#read(agent, revision));
    return resolveSnapshot(agent, entry, revision, document, named);
  }

  /** Returns the agent with this key of its widget, as published; `undefined` if there is none. */
  async findByWidgetKey(widgetKey: string): Promise<LiveAgent | undefined> {
    const agent = await findRevisionsByWidgetKey(this.#database, widgetKey);
    if (agent === undefined) return undefined;
    const { id, organizationId } = agent;
    const document = await this.#require(agent, agent.revision);
    const live = await this.#read({ ...agent, document }, liveRevision(agent));
    return { id, organizationId, document: withLiveFields(live, document) };
  }

  /** Returns a configuration that ran earlier; `undefined` if it no longer exists. */
  async findRevision(
    queries: Queries,
    { organizationId, agentId, revision }: { organizationId: string; agentId: string; revision: number },
  ): Promise<AgentDocument | undefined> {
    return await this.#snapshots.read(queries, { organizationId, agentId, revision });
  }

  /** Resolves the agent of a new call from its record; `undefined` if that configuration no longer exists. */
  async resolveRecorded(call: RecordedConfiguration): Promise<ResolvedAgent | undefined> {
    const { organizationId, agentId, agentRevision, configurationRevision, environment, variables } = call;
    if (configurationRevision === null) return undefined;
    const revision = { organizationId, agentId, revision: configurationRevision };
    const stored = await this.#snapshots.find(revision);
    if (stored === undefined) return undefined;
    const document = await this.#voices.resolve(organizationId, stored);
    const ran = { environment, agentRevision, configurationRevision, variables };
    return { id: agentId, organizationId, document, ...ran };
  }

  async #read(
    agent: Pick<SavedAgent, "id" | "organizationId" | "revision" | "document">,
    revision: number,
  ): Promise<AgentDocument> {
    return revision === agent.revision ? agent.document : await this.#require(agent, revision);
  }

  async #require(
    { id: agentId, organizationId }: Pick<SavedAgent, "id" | "organizationId">,
    revision: number,
  ): Promise<AgentDocument> {
    const snapshot = await this.#snapshots.find({ organizationId, agentId, revision });
    if (snapshot === undefined) throw new Error(`agent ${agentId} has lost its revision ${revision}`);
    return snapshot;
  }
}
