import { randomUUID } from "node:crypto";
import type { ProviderKey, ProviderKeyCreate } from "@parley/contract";
import { type ProviderId, providerIds, providerKind } from "@parley/providers/registry";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import type { ProviderAccessById } from "../../platform/config/provider-access.ts";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import type { EncryptedColumn } from "../../platform/encryption/reencryption.ts";
import { checkKey } from "./key-check.ts";
import * as store from "./provider-keys.store.ts";
import { withOwnAccess } from "./provider-settings.rules.ts";

interface Dependencies {
  config: ProviderConfiguration & Pick<Config, "providerBaseUrls">;
  encryption: Encryption;
  clock: Clock;
}

/** A key that an organization stored at a provider. */
export interface StoredKey {
  organizationId: string;
  provider: ProviderId;
}

/** Keys of organizations at providers. They are verified before they are stored. */
export class ProviderKeysService {
  readonly stored = new TransactionEvent<StoredKey>();
  readonly #database: Database;
  readonly #dependencies: Dependencies;

  constructor(database: Database, dependencies: Dependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Replaces the organization's key at the provider. Throws `invalid_body` and `provider_unreachable`. */
  async put(organizationId: string, { provider, apiKey }: ProviderKeyCreate): Promise<ProviderKey> {
    const id = providerIds.find((each) => each === provider);
    if (id === undefined || !takesKey(id))
      throw invalidBody("provider", `must be one of ${providerIds.filter(takesKey).join(", ")}`);
    const check = await checkKey(id, { baseUrl: this.baseUrlOf(id), apiKey });
    if (check.result === "refused") throw invalidBody("apiKey", check.message);
    if (check.result === "unreachable")
      throw new AppError("provider_unreachable", { message: `${check.message}. Retry later.` });
    const { encryption, clock } = this.#dependencies;
    const key = {
      id: randomUUID(),
      organizationId,
      provider: id,
      encryptedApiKey: encryption.encrypt(apiKey, contextOf(organizationId, id)),
      last4: apiKey.slice(-4),
      updatedAt: clock.now(),
    };
    return await this.#database.transaction(async (transaction) => {
      const row = await store.upsertKey(transaction, key);
      await this.stored.emit(transaction, { organizationId, provider: id });
      return present(row);
    });
  }

  async list(organizationId: string): Promise<ProviderKey[]> {
    return (await store.listKeys(this.#database, organizationId)).map(present);
  }

  async get(organizationId: string, id: string): Promise<ProviderKey> {
    const row = await store.findKey(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    if (!(await store.deleteKey(this.#database, organizationId, id))) throw new AppError("not_found");
  }

  /** Address to which an organization's key at the provider is sent. */
  baseUrlOf(provider: ProviderId): string {
    return this.#dependencies.config.providerBaseUrls[provider];
  }

  /** Access to the providers at which the organization has a key of its own. */
  async findOwnAccess(
    organizationId: string,
    queries: Queries = this.#database,
  ): Promise<ProviderAccessById> {
    const rows = await store.listKeys(queries, organizationId);
    const access = rows
      .filter(({ provider }) => providerIds.includes(provider))
      .map(({ provider, encryptedApiKey }) => {
        const apiKey = this.#dependencies.encryption.decrypt(
          encryptedApiKey,
          contextOf(organizationId, provider),
        );
        return [provider, { baseUrl: this.baseUrlOf(provider), apiKey }] as const;
      });
    return Object.fromEntries(access);
  }

  /** The providers of the organization; `undefined` if it has no keys of its own and uses the operator's. */
  async findOwn(
    organizationId: string,
    queries: Queries = this.#database,
  ): Promise<ProviderConfiguration | undefined> {
    const own = await this.findOwnAccess(organizationId, queries);
    if (Object.keys(own).length === 0) return undefined;
    const { config } = this.#dependencies;
    const { providerAccess, speechToText, textToSpeech, languageModel, languageModelFallback, localSpeech } =
      config;
    const operator = {
      providerAccess,
      speechToText,
      textToSpeech,
      languageModel,
      languageModelFallback,
      localSpeech,
    };
    return withOwnAccess(operator, own);
  }
}

export function takesKey(id: ProviderId): boolean {
  return providerKind(id).needsKey !== "never";
}

function present({ id, provider, last4, createdAt, updatedAt }: store.KeyRow): ProviderKey {
  return { id, provider, last4, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

const contextOf = (organizationId: string, provider: string): string =>
  `provider_keys/${organizationId}/${provider}`;

export const encryptedProviderKeys: EncryptedColumn = {
  table: "provider_keys",
  column: "encrypted_api_key",
  type: "text",
  key: ["organization_id", "provider"],
  contextOf,
};
