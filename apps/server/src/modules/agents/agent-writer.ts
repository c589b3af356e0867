import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Author } from "../../platform/author.ts";
import type { Queries } from "../../platform/database/database.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import { type AgentDocument, createDocument, isSameWhenPublished } from "./agent-document.rules.ts";
import { type AgentPublicationState, diffStates, type SavedAgent, type Write } from "./agent-state.rules.ts";
import * as store from "./agents.store.ts";
import { openDocument, sealDocument } from "./stored-document.ts";

/**
 * The only writer of agents. Every write runs in the caller's transaction under the lock of the agent's row, and
 * creates a version atomically with the change.
 */
export class AgentWriter {
  readonly #encryption: Encryption;
  readonly #clock: Clock;
  readonly #onWritten: (document: AgentDocument) => void;

  /** @param onWritten Called with each agent when it is written, before its transaction commits. Must not throw. */
  constructor(encryption: Encryption, clock: Clock, onWritten: (document: AgentDocument) => void = () => {}) {
    this.#encryption = encryption;
    this.#clock = clock;
    this.#onWritten = onWritten;
  }

  /** Decrypts an agent's row and upgrades it to this release's schema. */
  open({ document, ...row }: store.AgentRow): SavedAgent {
    return { ...row, document: openDocument(document, row.id, this.#encryption) };
  }

  openSnapshot({ snapshot, agentId }: store.VersionRow): AgentDocument {
    return openDocument(snapshot, agentId, this.#encryption);
  }

  async create(transaction: Queries, by: Author, after: AgentPublicationState): Promise<SavedAgent> {
    const { organizationId, actor } = by;
    const id = randomUUID();
    const { publishMode, publishedRevision } = after;
    const document = sealDocument(after.document, id, this.#encryption);
    const blank: AgentPublicationState = {
      document: createDocument({ name: "" }),
      publishMode: "auto",
      publishedRevision: null,
    };
    const row = await store.insertAgent(transaction, {
      id,
      organizationId,
      document,
      revision: 1,
      publishMode,
      publishedRevision,
      widgetKey: `wk_${randomBytes(18).toString("base64url")}`,
    });
    await store.insertVersion(transaction, {
      organizationId,
      agentId: id,
      revision: 1,
      kind: "created",
      actor,
      changedFields: diffStates(blank, after),
      snapshot: document,
      publishMode,
      publishedRevision,
      createdAt: row.createdAt,
    });
    this.#onWritten(after.document);
    return this.open(row);
  }

  /** Locks several agents in a consistent order, which prevents deadlocks. Returns the ids of those that exist. */
  async lock(transaction: Queries, by: Author, ids: readonly string[]): Promise<string[]> {
    return await store.lockAgents(transaction, by.organizationId, ids);
  }

  /**
   * Writes what `decide` returns for the agent, and returns the agent's new state. `decide` runs under the lock, and
   * may write to other tables in the same transaction. Writes nothing if nothing changes. Throws `not_found`.
   */
  async write(
    transaction: Queries,
    by: Author,
    id: string,
    decide: (before: SavedAgent) => Write | Promise<Write>,
  ): Promise<SavedAgent> {
    const row = await store.lockAgent(transaction, by.organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    const before = this.open(row);
    const { kind, after, isAlwaysRecorded = false } = await decide(before);
    const changedFields = diffStates(before, after);
    if (changedFields.length === 0 && !isAlwaysRecorded) return before;
    const { publishMode, publishedRevision } = after;
    const written = {
      revision: before.revision + 1,
      publishMode,
      publishedRevision,
      hasUnpublishedChanges: await this.#differsFromPublished(transaction, before, after),
      updatedAt: this.#clock.now(),
    };
    const document = sealDocument(after.document, id, this.#encryption);
    await store.insertVersion(transaction, {
      organizationId: by.organizationId,
      agentId: id,
      revision: written.revision,
      kind,
      actor: by.actor,
      changedFields,
      snapshot: document,
      publishMode,
      publishedRevision,
      createdAt: written.updatedAt,
    });
    await store.updateAgent(transaction, id, { ...written, document });
    this.#onWritten(after.document);
    return { ...before, ...written, document: after.document };
  }

  /** Deletes the agent. Its last version shows its state before the deletion. */
  async delete(transaction: Queries, by: Author, id: string): Promise<void> {
    await this.write(transaction, by, id, ({ document, publishMode, publishedRevision }) => ({
      kind: "deleted",
      after: { document, publishMode, publishedRevision },
      isAlwaysRecorded: true,
    }));
    await store.deleteAgent(transaction, id);
  }

  async #differsFromPublished(
    transaction: Queries,
    before: SavedAgent,
    after: AgentPublicationState,
  ): Promise<boolean> {
    const { publishedRevision } = after;
    if (publishedRevision === null || publishedRevision > before.revision) return false;
    const version = await store.findVersion(transaction, before.organizationId, before.id, publishedRevision);
    return version !== undefined && !isSameWhenPublished(this.openSnapshot(version), after.document);
  }
}
