import type { CallRecording } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { contentTypeOf, type ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import * as store from "./recordings.store.ts";

/** Validity of a link. Clients can request a new one. */
const LINK_MS = 3600_000;

export interface NewRecording {
  organizationId: string;
  callId: string;
  /** Path of the file on this machine. */
  file: string;
  sizeBytes: number;
  durationMs: number;
}

/** Key of a call's recording, whether or not it is stored. */
function objectKeyOf({ organizationId, callId }: Pick<NewRecording, "organizationId" | "callId">): string {
  return `recordings/${organizationId}/${callId}.opus`;
}

/** Stores finished recordings, and creates links to them. */
export class RecordingsService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #storage: ObjectStorage;

  constructor(database: Database, storage: ObjectStorage, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#storage = storage;
  }

  async get(organizationId: string, callId: string): Promise<CallRecording> {
    const row = await store.findRecording(this.#database, organizationId, callId);
    if (row === undefined) {
      throw new AppError("not_found", {
        message: "The call has no recording, or it is not ready yet (recordingStatus).",
      });
    }
    const { objectKey, sizeBytes, durationMs } = row;
    const expiresAt = this.#in(LINK_MS);
    return {
      callId,
      url: await this.#storage.linkTo(objectKey, expiresAt),
      expiresAt: expiresAt.toISOString(),
      contentType: contentTypeOf(objectKey),
      sizeBytes,
      durationMs,
    };
  }

  /** Returns a link with this validity, one hour by default; null if there is no recording, or none yet. */
  async findUrl(
    organizationId: string,
    callId: string,
    { validForMs = LINK_MS, queries = this.#database }: { validForMs?: number; queries?: Queries } = {},
  ): Promise<string | null> {
    const row = await store.findRecording(queries, organizationId, callId);
    if (row === undefined) return null;
    return await this.#storage.linkTo(row.objectKey, this.#in(validForMs));
  }

  /** Stores the file; idempotent. Returns the record for `note`. */
  async upload(
    { file, ...recording }: NewRecording,
    signal: AbortSignal,
  ): Promise<Omit<store.RecordingRow, "createdAt">> {
    const objectKey = objectKeyOf(recording);
    await this.#storage.putFile(objectKey, file, signal);
    return { ...recording, objectKey };
  }

  /** Deletes the recording's record. Its file is deleted by `deleteFile`. */
  async forget(transaction: Queries, callId: string): Promise<void> {
    await store.deleteRecording(transaction, callId);
  }

  /** Deletes the recording's file, if there is one. */
  async deleteFile(
    recording: Pick<NewRecording, "organizationId" | "callId">,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#storage.delete(objectKeyOf(recording), signal);
  }

  /** Records the recording, in the transaction that updates the call. */
  async note(transaction: Queries, recording: Omit<store.RecordingRow, "createdAt">): Promise<void> {
    await store.putRecording(transaction, recording);
  }

  #in(durationMs: number): Date {
    return new Date(this.#clock.now().getTime() + durationMs);
  }
}
