import type { Installation } from "@parley/contract";
import { sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { findVersion } from "../../platform/version.ts";

/** Versions of the programs that this node is made of. */
export class InstallationService {
  readonly #database: Database;
  readonly #isDatabaseEmbedded: boolean;

  constructor(database: Database, { isDatabaseEmbedded }: Pick<Installation, "isDatabaseEmbedded">) {
    this.#database = database;
    this.#isDatabaseEmbedded = isDatabaseEmbedded;
  }

  async describe(): Promise<Installation> {
    const { rows } = await this.#database.execute<{ server_version: string }>(sql`show server_version`);
    return {
      version: findVersion(),
      nodejsVersion: process.versions.node,
      postgresVersion: rows[0]?.server_version ?? "",
      isDatabaseEmbedded: this.#isDatabaseEmbedded,
    };
  }
}
