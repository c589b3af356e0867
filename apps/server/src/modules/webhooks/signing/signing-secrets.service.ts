import { randomBytes } from "node:crypto";
import type { WebhookSigning, WebhookSigningSecret } from "@parley/contract";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Encryption } from "../../../platform/encryption/encryption.ts";
import type { EncryptedColumn } from "../../../platform/encryption/reencryption.ts";
import * as store from "./signing-secrets.store.ts";

const SECRET_BYTES = 32;
/** Time for which the previous secret still signs after a rotation, so that receivers can change over. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** An organization's signing secrets. Not cached, so that a change by one node applies to all nodes at once. */
export class SigningSecretsService {
  readonly #database: Database;
  readonly #encryption: Encryption;
  readonly #clock: Clock;

  constructor(database: Database, encryption: Encryption, clock: Clock) {
    this.#database = database;
    this.#encryption = encryption;
    this.#clock = clock;
  }

  async get(organizationId: string): Promise<WebhookSigning> {
    const row = await store.findSecret(this.#database, organizationId);
    return { enabled: row !== undefined, last4: row?.last4 ?? null };
  }

  /** Only this answer contains the secret. */
  async rotate(organizationId: string): Promise<WebhookSigningSecret> {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
    const last4 = secret.slice(-4);
    await store.rotateSecret(this.#database, {
      organizationId,
      secret: this.#encryption.encrypt(secret, contextOf(organizationId)),
      last4,
      previousUntil: new Date(this.#clock.now().getTime() + OVERLAP_MS),
    });
    return { secret, enabled: true, last4 };
  }

  async disable(organizationId: string): Promise<WebhookSigning> {
    const row = await store.deleteSecret(this.#database, organizationId);
    return { enabled: false, last4: row?.last4 ?? null };
  }

  /** Secrets that sign the organization's webhooks now, the newest first. If empty, webhooks are not signed. */
  async findSecrets(organizationId: string): Promise<string[]> {
    const row = await store.findSecret(this.#database, organizationId);
    if (row === undefined) return [];
    const { secret, previousSecret, previousUntil } = row;
    const isOverlapping = previousUntil !== null && previousUntil > this.#clock.now();
    const stored = isOverlapping && previousSecret !== null ? [secret, previousSecret] : [secret];
    return stored.map((each) => this.#encryption.decrypt(each, contextOf(organizationId)));
  }
}

function contextOf(organizationId: string): string {
  return `webhook_signing_secrets/${organizationId}`;
}

export const encryptedSigningSecrets = ["secret", "previous_secret"].map((column): EncryptedColumn => {
  return { table: "webhook_signing_secrets", column, type: "text", key: ["organization_id"], contextOf };
});
