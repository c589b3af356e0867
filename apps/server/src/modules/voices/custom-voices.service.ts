import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type CreatedVoice, idSchema, type Issue, type Voice } from "@parley/contract";
import { approximateVoice, FAST_LOCAL_VOICE, formatShapedVoice, type SpeechFit } from "@parley/providers/fit";
import { Compile } from "typebox/compile";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { JobQueue } from "../../platform/jobs/jobs.ts";
import type { ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { baseLanguage } from "../providers/languages.rules.ts";
import type { ProviderKeysService, StoredKey } from "../provider-keys/provider-keys.service.ts";
import {
  type CloningProvider,
  type CloningSettings,
  findAccountProblem,
  findCloningProvider,
  listLanguagesOf,
} from "./cloning-providers.ts";
import type { SampleMeasures } from "./sample/sample-measures.ts";
import { warnAboutSample } from "./sample/sample.rules.ts";
import type { SampleExaminer } from "./sample/sample-examiner.ts";
import * as store from "./voices.store.ts";
import { voices } from "./voices.tables.ts";

const uuid = Compile(idSchema);
const LOCAL_LANGUAGE = "en";
const STORE_TIMEOUT_MS = 30_000;

export interface VoiceJob {
  voiceId: string;
}
export const CLONE_JOB = { name: "voices.clone" } as const;
export const DISCARD_JOB = { name: "voices.discard" } as const;
/** Looks for an organization's clones in the account of a key that it has stored. */
export const VERIFY_JOB = { name: "voices.verify" } as const;

export interface NewVoice {
  displayName: string;
  language: string;
  sample: Uint8Array;
}

/** An agent's fields that name voices. */
interface VoiceFields {
  voiceId: string | null;
  fallbackVoiceId: string | null;
}

interface CustomVoicesDependencies {
  database: Database;
  storage: ObjectStorage;
  jobs: JobQueue;
  clock: Clock;
  config: Pick<Config, "textToSpeech" | "providerAccess" | "localSpeech" | "speechFit">;
  /** `undefined` until it is known. */
  fit: () => SpeechFit | undefined;
  examiner: Pick<SampleExaminer, "examine">;
  organizationLimits: OrganizationLimitsService;
  providerKeys: ProviderKeysService;
}

/** Voices that organizations created from recordings. */
export class CustomVoicesService {
  readonly #dependencies: CustomVoicesDependencies;

  constructor(dependencies: CustomVoicesDependencies) {
    this.#dependencies = dependencies;
    const { jobs, providerKeys } = dependencies;
    providerKeys.stored.subscribe(
      async (transaction, key) => await jobs.enqueue<StoredKey>(transaction, VERIFY_JOB, key),
    );
  }

  /** Throws `invalid_body` if the recording cannot become a voice, and `limit_reached`. */
  async create(organizationId: string, { displayName, language, sample }: NewVoice): Promise<CreatedVoice> {
    const { database, storage, jobs, organizationLimits } = this.#dependencies;
    const provider = this.#requireVoiceMaker(await this.#settingsOf(organizationId), language);
    await organizationLimits.requireRoom(database, organizationId, { name: "voices", table: voices });
    const { measures, wav } = await this.#examine(sample);
    const id = randomUUID();
    const objectKey = `voices/${organizationId}/${id}.wav`;
    await storeSample(storage, objectKey, wav);
    try {
      const row = await database.transaction(async (transaction) => {
        await organizationLimits.requireRoom(transaction, organizationId, { name: "voices", table: voices });
        const inserted = await store.insertVoice(transaction, {
          id,
          organizationId,
          displayName,
          language,
          objectKey,
          warnings: warnAboutSample(measures),
          ...(provider === undefined
            ? this.#approximate(measures, language)
            : {
                status: "processing",
                isApproximation: false,
                provider: provider.id,
                account: provider.account,
              }),
        });
        if (provider !== undefined) await jobs.enqueue<VoiceJob>(transaction, CLONE_JOB, { voiceId: id });
        return inserted;
      });
      return { ...present(row), tier: "standard" };
    } catch (error) {
      await storage.delete(objectKey, AbortSignal.timeout(STORE_TIMEOUT_MS)).catch(() => undefined);
      throw error;
    }
  }

  async list(organizationId: string): Promise<Voice[]> {
    const rows = await store.listVoices(this.#dependencies.database, organizationId);
    return await this.#presentAll(organizationId, rows);
  }

  /** `undefined` if the organization has no such voice. */
  async find(organizationId: string, id: string): Promise<Voice | undefined> {
    if (!isCustomVoiceId(id)) return undefined;
    const rows = await store.findVoices(this.#dependencies.database, organizationId, [id]);
    const [voice] = await this.#presentAll(organizationId, rows);
    return voice;
  }

  /** Throws `not_found`. */
  async rename(organizationId: string, id: string, displayName: string | undefined): Promise<Voice> {
    if (displayName !== undefined && isCustomVoiceId(id))
      await store.renameVoice(this.#dependencies.database, organizationId, id, displayName);
    const voice = await this.find(organizationId, id);
    if (voice === undefined) throw notCustom();
    return voice;
  }

  /** The clone and the recording are deleted soon after. Throws `not_found`. */
  async delete(organizationId: string, id: string): Promise<void> {
    const { database, jobs, clock } = this.#dependencies;
    if (!isCustomVoiceId(id)) throw notCustom();
    await database.transaction(async (transaction) => {
      if (!(await store.markDeleted(transaction, organizationId, id, clock.now()))) throw notCustom();
      await jobs.enqueue<VoiceJob>(transaction, DISCARD_JOB, { voiceId: id });
    });
  }

  /** Whether a voice of a provider is the clone of some organization, which others must not use. */
  async isClone(voiceId: string): Promise<boolean> {
    return await store.isSpokenByCustomVoice(this.#dependencies.database, voiceId);
  }

  /**
   * Replaces the organization's own voices by those that speak. A voice that is deleted, not ready, or in an account that no key
   * opens is replaced by the fallback, then by the default.
   */
  async resolve<T extends VoiceFields>(organizationId: string, fields: T): Promise<T> {
    const ids = [fields.voiceId, fields.fallbackVoiceId].filter((id) => id !== null && isCustomVoiceId(id));
    if (ids.length === 0) return fields;
    const rows = await store.findVoices(
      this.#dependencies.database,
      organizationId,
      ids.map((id) => id ?? ""),
    );
    const problemOf = await this.#problemFinder(organizationId, rows);
    const usable = rows.filter((row) => row.status === "ready" && problemOf(row) === undefined);
    const spoken = new Map(usable.map(({ id, spokenVoiceId }) => [id, spokenVoiceId]));
    const replace = (id: string | null): string | null =>
      id === null || !isCustomVoiceId(id) ? id : (spoken.get(id) ?? null);
    const voiceId = replace(fields.voiceId);
    const fallbackVoiceId = replace(fields.fallbackVoiceId);
    const isGone = fields.voiceId !== null && voiceId === null;
    return { ...fields, voiceId: isGone ? fallbackVoiceId : voiceId, fallbackVoiceId };
  }

  /** Replaces the own voices of all organizations among these ids by those that speak; the others stay. */
  async replaceAll(ids: readonly string[]): Promise<string[]> {
    const own = ids.filter(isCustomVoiceId);
    if (own.length === 0) return [...ids];
    const rows = await store.findAnyVoices(this.#dependencies.database, own);
    const spoken = new Map(rows.map(({ id, spokenVoiceId }) => [id, spokenVoiceId]));
    return ids.flatMap((id) => (isCustomVoiceId(id) ? (spoken.get(id) ?? []) : [id]));
  }

  /** The provider that clones; `undefined` for an approximation. Throws `invalid_body` if there is neither. */
  #requireVoiceMaker(settings: CloningSettings, language: string): CloningProvider | undefined {
    const { config } = this.#dependencies;
    const provider = findCloningProvider(settings);
    if (provider === undefined && !config.localSpeech.hasTextToSpeech)
      throw invalidBody(
        "voice",
        "cannot become a voice on this server: no configured provider clones voices (ElevenLabs and Cartesia do), and the local voices are not loaded",
      );
    const languages = provider === undefined ? [LOCAL_LANGUAGE] : listLanguagesOf(provider.id);
    if (!languages.includes(baseLanguage(language)))
      throw invalidBody("language", `must be one that the voice can speak: ${languages.join(", ")}`);
    return provider;
  }

  async #settingsOf(organizationId: string): Promise<CloningSettings> {
    const { config, providerKeys } = this.#dependencies;
    return { operator: config, own: await providerKeys.findOwnAccess(organizationId) };
  }

  async #presentAll(organizationId: string, rows: readonly store.VoiceRow[]): Promise<Voice[]> {
    const problemOf = await this.#problemFinder(organizationId, rows);
    return rows.map((row) => {
      const problem = row.status === "ready" ? problemOf(row) : undefined;
      return present(problem === undefined ? row : { ...row, status: "failed", statusReason: problem });
    });
  }

  /** Finds why this server cannot speak with a voice that is ready. */
  async #problemFinder(
    organizationId: string,
    rows: readonly store.VoiceRow[],
  ): Promise<(row: store.VoiceRow) => string | undefined> {
    const { localSpeech } = this.#dependencies.config;
    const hasClones = rows.some(({ provider }) => provider !== null);
    const settings = hasClones ? await this.#settingsOf(organizationId) : undefined;
    return (row) => {
      if (settings !== undefined && row.provider !== null) return findAccountProblem(settings, row);
      return localSpeech.hasTextToSpeech ? undefined : "The local voices are not loaded on this server.";
    };
  }

  async #examine(sample: Uint8Array): Promise<{ measures: SampleMeasures; wav: Uint8Array }> {
    const report = await this.#dependencies.examiner.examine(sample);
    if (report.reasons === undefined) return report;
    const issues = report.reasons.map((message): Issue => ({ path: "voice", message }));
    throw new AppError("invalid_body", { issues });
  }

  #approximate({ pitchHz = 0, syllablesPerSecond }: SampleMeasures, language: string) {
    const { config, fit } = this.#dependencies;
    const defaultVoice = fit()?.defaultVoice ?? config.speechFit.voice;
    const engine = defaultVoice === FAST_LOCAL_VOICE ? "dittli" : "kokoro";
    const shaped = approximateVoice({ pitchHz, syllablesPerSecond }, engine, language);
    return {
      status: "ready" as const,
      isApproximation: true,
      provider: null,
      spokenVoiceId: formatShapedVoice(shaped),
    };
  }
}

function present({ id, displayName, language, status, ...row }: store.VoiceRow): Voice {
  return {
    id,
    displayName,
    language,
    languages: row.provider === null ? [LOCAL_LANGUAGE] : [...listLanguagesOf(row.provider)],
    source: "custom",
    status,
    statusReason: row.statusReason,
    gender: null,
    category: "cloned",
    isDefault: false,
    isApproximation: row.isApproximation,
    warnings: row.warnings,
  };
}

/** Ids of other voices are `provider/name`. */
export function isCustomVoiceId(id: string): boolean {
  return uuid.Check(id);
}

function notCustom(): AppError {
  return new AppError("not_found", { message: "The organization has created no voice with this id." });
}

/** The object storage takes files. */
async function storeSample(storage: ObjectStorage, objectKey: string, bytes: Uint8Array): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-voice-"));
  try {
    const file = path.join(folder, "sample.wav");
    await writeFile(file, bytes, { mode: 0o600 });
    await storage.putFile(objectKey, file, AbortSignal.timeout(STORE_TIMEOUT_MS));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
