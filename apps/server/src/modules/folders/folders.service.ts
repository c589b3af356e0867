import type { Folder, FolderChange, FolderCreation, PageQuery } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Author } from "../../platform/author.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import * as store from "./folders.store.ts";

export class FoldersService {
  readonly #database: Database;
  readonly #clock: Clock;
  /** Emitted before a folder is deleted, with the folder locked: listeners remove their references to it. */
  readonly deleting = new TransactionEvent<{ by: Author; folderId: string }>();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async create(organizationId: string, { name, color = null }: FolderCreation): Promise<Folder> {
    return present(await store.insertFolder(this.#database, { organizationId, name, color }));
  }

  async get(organizationId: string, id: string): Promise<Folder> {
    const [row] = await store.findFolders(this.#database, organizationId, [id]);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async list(organizationId: string, query: PageQuery) {
    return toPage(query, await store.listFolders(this.#database, organizationId, query), present);
  }

  async update(organizationId: string, id: string, { name, color }: FolderChange): Promise<Folder> {
    const change = { ...(name !== undefined && { name }), ...(color !== undefined && { color }) };
    const changed = { ...change, updatedAt: this.#clock.now() };
    const row = await store.updateFolder(this.#database, organizationId, id, changed);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async delete(by: Author, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await store.lockFolder(transaction, by.organizationId, id, "update");
      if (row === undefined) throw new AppError("not_found");
      await this.deleting.emit(transaction, { by, folderId: id });
      await store.deleteFolder(transaction, id);
    });
  }

  /** Those of the ids that exist, by id. */
  async find(organizationId: string, ids: readonly string[]): Promise<Map<string, Folder>> {
    if (ids.length === 0) return new Map();
    const rows = await store.findFolders(this.#database, organizationId, ids);
    return new Map(rows.map((row) => [row.id, present(row)]));
  }

  /** Whether the folder exists. If it does, it cannot be deleted until the transaction ends. */
  async lockForReference(transaction: Queries, organizationId: string, id: string): Promise<boolean> {
    return (await store.lockFolder(transaction, organizationId, id, "key share")) !== undefined;
  }
}

function present(row: store.FolderRow): Folder {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
