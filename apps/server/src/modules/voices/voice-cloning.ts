import { ProviderError } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import { providerKind } from "@parley/providers/registry";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import type { ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import type { ProviderKeysService, StoredKey } from "../provider-keys/provider-keys.service.ts";
import { type CloningProvider, findCloneAccount } from "./cloning-providers.ts";
import * as store from "./voices.store.ts";

const CLONE_TIMEOUT_MS = 90_000;
const DELETE_TIMEOUT_MS = 30_000;
/** Less than the expiry of the job. */
const VERIFY_TIMEOUT_MS = 120_000;
const VERIFY_CONCURRENCY = 4;
const LOOKUP_TIMEOUT_MS = 8_000;
/** A provider that does not answer for this long fails the voice. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

interface VoiceCloningDependencies {
  database: Database;
  storage: ObjectStorage;
  clock: Clock;
  config: Pick<Config, "providerAccess">;
  providerKeys: Pick<ProviderKeysService, "findOwnAccess">;
  logger: Logger;
}

/** Clones voices at providers, looks for clones and deletes them. Each step can be repeated after an interruption. */
export class VoiceCloning {
  readonly #dependencies: VoiceCloningDependencies;

  constructor(dependencies: VoiceCloningDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects if the provider may succeed later. */
  async clone(voiceId: string): Promise<void> {
    const { database, clock } = this.#dependencies;
    const [row] = await store.findAnyVoices(database, [voiceId]);
    if (row === undefined || row.status !== "processing" || row.deletedAt !== null) return;
    let spokenVoiceId: string;
    try {
      spokenVoiceId = await this.#cloneAtProvider(row);
    } catch (error) {
      const isLate = clock.now().getTime() - row.createdAt.getTime() > GIVE_UP_AFTER_MS;
      if (!isLate && !isFinal(error)) throw error;
      const statusReason = toStorableText(`${row.provider}: ${errorMessage(error)}${adviceOf(error)}`);
      await store.endProcessing(database, voiceId, { status: "failed", statusReason, spokenVoiceId: null });
      return;
    }
    const ready = { status: "ready", statusReason: null, spokenVoiceId } as const;
    if (await store.endProcessing(database, voiceId, ready)) return;
    // It was deleted meanwhile, and its row with it if the recording is deleted already.
    if (await store.setSpokenVoice(database, voiceId, spokenVoiceId)) await this.discard(voiceId);
    else await this.#deleteClone({ ...row, spokenVoiceId });
  }

  /**
   * Looks up each of an organization's clones in the account of its key at the provider, whose list of voices may be incomplete. Those
   * that are absent become `failed`, those that are present again `ready`. Rejects if the provider does not answer for each.
   */
  async verify({ organizationId, provider }: StoredKey): Promise<void> {
    const { database } = this.#dependencies;
    const rows = await store.listOwnClones(database, organizationId, provider);
    const [first] = rows;
    const account = first && (await this.#findAccount(first));
    if (account === undefined) return;
    const deadline = AbortSignal.timeout(VERIFY_TIMEOUT_MS);
    for (let from = 0; from < rows.length; from += VERIFY_CONCURRENCY) {
      const batch = rows.slice(from, from + VERIFY_CONCURRENCY);
      const results = await Promise.allSettled(
        batch.map(async (row) => await this.#verifyClone(account, row, deadline)),
      );
      for (const result of results) if (result.status === "rejected") throw result.reason;
    }
  }

  async #verifyClone(
    { id: provider, access, hasVoice }: CloningProvider,
    { id, spokenVoiceId }: store.VoiceRow,
    deadline: AbortSignal,
  ): Promise<void> {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)]);
    const name = (spokenVoiceId ?? "").slice(provider.length + 1);
    const problem = `The account of your organization's key at ${providerKind(provider).displayName} does not have this voice. Store a key of the account in which it was cloned, or create the voice again.`;
    const isPresent = await hasVoice(access, name, signal);
    await store.setClonePresence(this.#dependencies.database, id, isPresent ? null : problem);
  }

  /** Deletes what a deleted voice left. Rejects if some of it cannot be deleted now. */
  async discard(voiceId: string): Promise<void> {
    const { database, storage } = this.#dependencies;
    const [row] = await store.findAnyVoices(database, [voiceId]);
    if (row === undefined || row.deletedAt === null) return;
    // First, because the provider may refuse the key for days.
    await storage.delete(row.objectKey, AbortSignal.timeout(DELETE_TIMEOUT_MS));
    await this.#deleteClone(row);
    await store.deleteVoiceRow(database, voiceId);
  }

  async #findAccount(row: store.VoiceRow): Promise<CloningProvider | undefined> {
    const { config, providerKeys } = this.#dependencies;
    const own = await providerKeys.findOwnAccess(row.organizationId);
    return findCloneAccount({ operator: config, own }, row);
  }

  async #deleteClone(row: store.VoiceRow): Promise<void> {
    const { logger } = this.#dependencies;
    if (row.provider === null || row.spokenVoiceId === null) return;
    const name = row.spokenVoiceId.slice(row.provider.length + 1);
    const provider = await this.#findAccount(row);
    if (provider === undefined)
      logger.warn(
        { voiceId: row.id, provider: row.provider, name },
        "the clone of a deleted voice stays at its provider, for whose account there is no key",
      );
    else await provider.cloning.deleteVoice(provider.access, name, AbortSignal.timeout(DELETE_TIMEOUT_MS));
  }

  async #cloneAtProvider(row: store.VoiceRow): Promise<string> {
    const { storage } = this.#dependencies;
    const { id, displayName, language, objectKey } = row;
    const provider = await this.#findAccount(row);
    if (provider === undefined)
      throw new ProviderError({
        provider: row.provider ?? "provider",
        kind: "status",
        message: "there is no longer a key for the account; store one, and create the voice again",
        isRetryable: false,
      });
    const signal = AbortSignal.timeout(CLONE_TIMEOUT_MS);
    const sample = { id, displayName, language, wav: await storage.read(objectKey, signal) };
    return `${provider.id}/${await provider.cloning.cloneVoice(provider.access, sample, signal)}`;
  }
}

function adviceOf(error: unknown): string {
  const isRefused = error instanceof ProviderError && [401, 403].includes(error.status ?? 0);
  return isRefused ? ". Check the key and the plan at the provider, and create the voice again" : "";
}

/** A rate limit lasts longer than a turn of a call, but not longer than the retries of a job. */
function isFinal(error: unknown): boolean {
  return error instanceof ProviderError && !error.isRetryable && error.status !== 429;
}
