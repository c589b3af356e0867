import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import type { EncryptedColumn } from "../../platform/encryption/reencryption.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import { widgetSecrets } from "./widget.tables.ts";

const SECRET_BYTES = 32;

interface WidgetSecretState {
  enabled: boolean;
  last4: string | null;
}

const contextOf = (agentId: string): string => `widget_secrets/${agentId}`;

export const encryptedWidgetSecrets: EncryptedColumn = {
  table: "widget_secrets",
  column: "encrypted_secret",
  type: "text",
  key: ["agent_id"],
  contextOf,
};

/** The secrets of agents for signed users. Not cached, so that a rotation applies to all nodes at once. */
export class WidgetSecretsService {
  readonly #database: Database;
  readonly #encryption: Encryption;
  readonly #agents: Pick<AgentsService, "read">;
  readonly #clock: Clock;

  constructor(
    database: Database,
    encryption: Encryption,
    { agents, clock }: { agents: Pick<AgentsService, "read">; clock: Clock },
  ) {
    this.#database = database;
    this.#encryption = encryption;
    this.#agents = agents;
    this.#clock = clock;
  }

  /** Throws `not_found`. */
  async rotate(organizationId: string, agentId: string): Promise<WidgetSecretState & { secret: string }> {
    await this.#agents.read(organizationId, agentId);
    const secret = `wus_${randomBytes(SECRET_BYTES).toString("base64url")}`;
    const last4 = secret.slice(-4);
    const encryptedSecret = this.#encryption.encrypt(secret, contextOf(agentId));
    const set = { encryptedSecret, last4, createdAt: this.#clock.now() };
    await this.#database
      .insert(widgetSecrets)
      .values({ agentId, ...set })
      .onConflictDoUpdate({ target: widgetSecrets.agentId, set });
    return { secret, enabled: true, last4 };
  }

  /** Throws `not_found`. */
  async get(organizationId: string, agentId: string): Promise<WidgetSecretState> {
    await this.#agents.read(organizationId, agentId);
    const row = await this.#find(agentId);
    return { enabled: row !== undefined, last4: row?.last4 ?? null };
  }

  /** Throws `not_found`. */
  async delete(organizationId: string, agentId: string): Promise<WidgetSecretState> {
    await this.#agents.read(organizationId, agentId);
    const [row] = await this.#database
      .delete(widgetSecrets)
      .where(eq(widgetSecrets.agentId, agentId))
      .returning();
    return { enabled: false, last4: row?.last4 ?? null };
  }

  /** Returns the agent's secret; `undefined` if it has none. */
  async findSecret(agentId: string): Promise<string | undefined> {
    const row = await this.#find(agentId);
    return row && this.#encryption.decrypt(row.encryptedSecret, contextOf(agentId));
  }

  async #find(agentId: string) {
    const [row] = await this.#database.select().from(widgetSecrets).where(eq(widgetSecrets.agentId, agentId));
    return row;
  }
}
