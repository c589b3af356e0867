import type { Agent, AgentVersion, AgentVersionDetail, PageQuery, PublishMode } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Author } from "../../../platform/author.ts";
import type { Database } from "../../../platform/database/database.ts";
import { toPage } from "../../../platform/database/page.ts";
import { TransactionEvent } from "../../../platform/database/transaction-event.ts";
import { findSnapshotProblems } from "../agent-problems.rules.ts";
import { liveRevision, writePublishedDraft, writePublishedRevision } from "../agent-state.rules.ts";
import { presentVersionDetail } from "./agent-versions.rules.ts";
import type { AgentWriter } from "../agent-writer.ts";
import type { AgentChoices } from "../../providers/agent-choices.ts";
import type { AgentsService } from "../agents.service.ts";
import * as store from "../agents.store.ts";
import { type Restore, restoreSnapshot } from "./restore.rules.ts";

export interface RestoredAgent {
  agent: Agent;
  restoredFromRevision: number;
  newRevision: number;
  notRestored: string[];
  skippedStaleRefs: string[];
}

export interface PublishedAgent {
  publishMode: PublishMode;
  publishedRevision: number | null;
  hasUnpublishedChanges: boolean;
  /** Revision that calls now run on. */
  revision: number;
}

interface AgentVersionsDependencies {
  writer: AgentWriter;
  agents: AgentsService;
  agentChoices: Pick<AgentChoices, "findProblems">;
  clock: Clock;
}

/** A revision that is about to be published. */
export interface PublishedRevision {
  organizationId: string;
  agentId: string;
  revision: number;
}

interface PublishOptions {
  /** Default: the draft. */
  revision?: number | undefined;
  /** Whether listeners of `publishing` are not asked. */
  isForced?: boolean;
}

export class AgentVersionsService {
  /** Emitted before a revision is published, with the agent locked: a listener that rejects prevents it. */
  readonly publishing = new TransactionEvent<PublishedRevision>();
  readonly #database: Database;
  readonly #writer: AgentWriter;
  readonly #clock: Clock;
  readonly #agents: AgentsService;
  readonly #choices: Pick<AgentChoices, "findProblems">;

  constructor(database: Database, { writer, agents, agentChoices, clock }: AgentVersionsDependencies) {
    this.#database = database;
    this.#writer = writer;
    this.#clock = clock;
    this.#agents = agents;
    this.#choices = agentChoices;
  }

  /** Lists versions of deleted agents too. */
  async list(organizationId: string, agentId: string, query: PageQuery) {
    const found = await store.listVersions(this.#database, organizationId, agentId, query);
    // Every agent has a first version, so an agent without versions never existed.
    if (found.total === 0) throw new AppError("not_found");
    return toPage(query, found, presentVersion);
  }

  /** Returns versions of deleted agents too. */
  async get(organizationId: string, agentId: string, revision: number): Promise<AgentVersionDetail> {
    const [row, previous] = await Promise.all([
      store.findVersion(this.#database, organizationId, agentId, revision),
      store.findVersion(this.#database, organizationId, agentId, revision - 1),
    ]);
    if (row === undefined) throw new AppError("not_found");
    return presentVersionDetail(
      presentVersion(row),
      this.#openState(row),
      previous && this.#openState(previous),
    );
  }

  async publish(
    by: Author,
    agentId: string,
    { revision, isForced = false }: PublishOptions = {},
  ): Promise<PublishedAgent> {
    const { organizationId } = by;
    const saved = await this.#database.transaction(async (transaction) => {
      return await this.#writer.write(transaction, by, agentId, async (before) => {
        if (revision !== undefined) {
          const version = await store.findVersion(transaction, organizationId, agentId, revision);
          if (version === undefined) throw new AppError("revision_not_found");
        }
        const write =
          revision === undefined ? writePublishedDraft(before) : writePublishedRevision(before, revision);
        // What is live already is not published again.
        const isChange = write.after.publishedRevision !== before.publishedRevision;
        if (isChange && !isForced)
          await this.publishing.emit(transaction, {
            organizationId,
            agentId,
            revision: revision ?? before.revision,
          });
        return write;
      });
    });
    const { publishMode, publishedRevision, hasUnpublishedChanges } = saved;
    return { publishMode, publishedRevision, hasUnpublishedChanges, revision: liveRevision(saved) };
  }

  async restore(by: Author, id: string, revision: number): Promise<RestoredAgent> {
    const version = await store.findVersion(this.#database, by.organizationId, id, revision);
    if (version === undefined) throw new AppError("not_found");
    const row = await store.findAgent(this.#database, by.organizationId, id);
    if (row === undefined) throw new AppError("restore_target_deleted");
    const snapshot = this.#writer.openSnapshot(version);
    const { document } = this.#writer.open(row);
    const issues = [
      ...findSnapshotProblems(snapshot),
      ...(await this.#choices.findProblems(by.organizationId, snapshot, document)),
    ];
    if (issues.length > 0) throw new AppError("restore_invalid", { issues });
    const { saved, restore } = await this.#database.transaction(async (transaction) => {
      const existing = await this.#agents.lockReferences(transaction, by.organizationId, snapshot);
      const decided = Promise.withResolvers<Restore>();
      const saved = await this.#writer.write(transaction, by, id, (before) => {
        const restore = restoreSnapshot(before, snapshot, existing, this.#clock.now());
        decided.resolve(restore);
        return restore.write;
      });
      return { saved, restore: await decided.promise };
    });
    return {
      agent: await this.#agents.present(saved),
      restoredFromRevision: revision,
      newRevision: saved.revision,
      notRestored: restore.notRestored,
      skippedStaleRefs: restore.skippedStaleRefs,
    };
  }

  #openState(row: store.VersionRow) {
    const { publishMode, publishedRevision } = row;
    return { document: this.#writer.openSnapshot(row), publishMode, publishedRevision };
  }
}

function presentVersion(
  row: Omit<store.VersionRow, "snapshot" | "organizationId" | "publishMode" | "publishedRevision">,
): AgentVersion {
  const { id, agentId, revision, kind, actor, changedFields, createdAt } = row;
  return { id, agentId, revision, kind, actor, changedFields, createdAt: createdAt.toISOString() };
}
