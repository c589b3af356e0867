import { ProviderError } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import { findCloningProviderById } from "./cloning-providers.ts";
import * as store from "./voices.store.ts";

const CLONE_TIMEOUT_MS = 90_000;
const DELETE_TIMEOUT_MS = 30_000;
/** A provider that does not answer for this long fails the voice. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

interface VoiceCloningDependencies {
  database: Database;
  storage: ObjectStorage;
  clock: Clock;
  config: Pick<Config, "providerAccess">;
  logger: Logger;
}

/** Clones voices at the configured provider and deletes clones. Each step can be repeated after an interruption. */
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
      const statusReason = `${row.provider}: ${errorMessage(error)}`;
      await store.endProcessing(database, voiceId, { status: "failed", statusReason, spokenVoiceId: null });
      return;
    }
    const ready = { status: "ready", statusReason: null, spokenVoiceId } as const;
    if (await store.endProcessing(database, voiceId, ready)) return;
    // It was deleted meanwhile, and its row with it if the recording is deleted already.
    if (await store.setSpokenVoice(database, voiceId, spokenVoiceId)) await this.discard(voiceId);
    else await this.#deleteClone({ ...row, spokenVoiceId });
  }

  /** Deletes what a deleted voice left. Rejects if some of it cannot be deleted now. */
  async discard(voiceId: string): Promise<void> {
    const { database, storage } = this.#dependencies;
    const [row] = await store.findAnyVoices(database, [voiceId]);
    if (row === undefined || row.deletedAt === null) return;
    await this.#deleteClone(row);
    await storage.delete(row.objectKey, AbortSignal.timeout(DELETE_TIMEOUT_MS));
    await store.deleteVoiceRow(database, voiceId);
  }

  async #deleteClone(row: Pick<store.VoiceRow, "id" | "provider" | "spokenVoiceId">): Promise<void> {
    const { config, logger } = this.#dependencies;
    if (row.provider === null || row.spokenVoiceId === null) return;
    const name = row.spokenVoiceId.slice(row.provider.length + 1);
    const provider = findCloningProviderById(config, row.provider);
    if (provider === undefined)
      logger.warn(
        { voiceId: row.id, provider: row.provider, name },
        "the clone of a deleted voice stays at its provider, which is no longer configured",
      );
    else await provider.cloning.deleteVoice(provider.access, name, AbortSignal.timeout(DELETE_TIMEOUT_MS));
  }

  async #cloneAtProvider({ id, displayName, language, objectKey, ...row }: store.VoiceRow): Promise<string> {
    const { storage, config } = this.#dependencies;
    const provider = findCloningProviderById(config, row.provider ?? "");
    if (provider === undefined)
      throw new ProviderError({
        provider: row.provider ?? "provider",
        kind: "status",
        message: "is no longer configured",
        isRetryable: false,
      });
    const signal = AbortSignal.timeout(CLONE_TIMEOUT_MS);
    const sample = { id, displayName, language, wav: await storage.read(objectKey, signal) };
    return `${provider.id}/${await provider.cloning.cloneVoice(provider.access, sample, signal)}`;
  }
}

/** A rate limit lasts longer than a turn of a call, but not longer than the retries of a job. */
function isFinal(error: unknown): boolean {
  return error instanceof ProviderError && !error.isRetryable && error.status !== 429;
}
