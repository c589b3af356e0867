import type { CallRecording } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { contentTypeOf, type ObjectStorage } from "../../platform/object-storage/object-storage.ts";
import * as store from "./recordings.store.ts";

/** For whoever asks, and can ask again. */
const LINK_MS = 3600_000;

export interface NewRecording {
  organizationId: string;
  callId: string;
  /** The file, on this machine. */
  file: string;
  sizeBytes: number;
  durationMs: number;
}

/** Recordings that are made, and links to them. */
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

  /** A link that works for so long, an hour unless told; null where there is no recording, or none yet. */
  async findUrl(organizationId: string, callId: string, validForMs = LINK_MS): Promise<string | null> {
    const row = await store.findRecording(this.#database, organizationId, callId);
    if (row === undefined) return null;
    return await this.#storage.linkTo(row.objectKey, this.#in(validForMs));
  }

  /** Puts the file where it is kept; doing it again changes nothing. Returns what `note` is to write down. */
  async upload(
    { file, ...recording }: NewRecording,
    signal: AbortSignal,
  ): Promise<Omit<store.RecordingRow, "createdAt">> {
    const { organizationId, callId } = recording;
    const objectKey = `recordings/${organizationId}/${callId}.opus`;
    await this.#storage.putFile(objectKey, file, signal);
    return { ...recording, objectKey };
  }

  /** In the transaction in which the call is told. */
  async note(transaction: Queries, recording: Omit<store.RecordingRow, "createdAt">): Promise<void> {
    await store.putRecording(transaction, recording);
  }

  #in(durationMs: number): Date {
    return new Date(this.#clock.now().getTime() + durationMs);
  }
}
