import type { Logger } from "pino";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { JobKind, JobQueue } from "../../platform/jobs/jobs.ts";
import type { CallsService, EndedCall } from "../calls/calls.service.ts";
import type { RecordingsService } from "../recordings/recordings.service.ts";
import type { WebhooksService } from "../webhooks/webhooks.service.ts";

/** The whole call, or a part of it. */
export type DeletedPart = "call" | "recording" | "transcript";

export interface DeletionJob {
  organizationId: string;
  callId: string;
  part: DeletedPart;
}

export const DELETION_JOB = { name: "finish-call-deletion" } as const;
/** Topic of the bus on which nodes hear that files of a call are to be deleted. */
export const CALL_FILES_TOPIC = "call_files_deleted";

/** A recording whose upload was in progress at the deletion is stored by then, and deleted by a second run. */
const SECOND_RUN_MS = 24 * 3600_000;
/** Retries, one minute apart at most, outlast a day without object storage. */
const RETRIES = 2_000;
const FILE_DEADLINE_MS = 10_000;

export interface CallDeletionOptions {
  database: Database;
  jobs: JobQueue;
  bus: Bus;
  clock: Clock;
  logger: Logger;
  calls: Pick<CallsService, "lockEnded" | "delete" | "deleteTranscript" | "noteResult">;
  recordings: Pick<RecordingsService, "forget" | "deleteFile">;
  webhooks: Pick<WebhooksService, "deleteOfCall" | "redact">;
}

/**
 * Deletes calls, recordings and transcripts. One transaction deletes the records; what is outside of it (object storage, stored
 * webhooks, files of nodes) follows at once, and in a job until it succeeds.
 */
export class CallDeletionService {
  readonly #options: CallDeletionOptions;

  constructor(options: CallDeletionOptions) {
    this.#options = options;
  }

  /** Throws `not_found` and `call_not_ended`. */
  async delete(organizationId: string, callId: string, part: DeletedPart): Promise<void> {
    const { database, jobs, clock, calls, logger } = this.#options;
    const job: DeletionJob = { organizationId, callId, part };
    await database.transaction(async (transaction) => {
      const call = await calls.lockEnded(transaction, organizationId, callId);
      await this.#deleteRecords(transaction, call, part);
      await jobs.enqueue(transaction, DELETION_JOB, job);
      const startAfter = new Date(clock.now().getTime() + SECOND_RUN_MS);
      if (part !== "transcript") await jobs.enqueue(transaction, DELETION_JOB, job, { startAfter });
    });
    await this.finish(job).catch((error: unknown) =>
      logger.warn({ err: error, callId, part }, "finishing a deletion failed; a job repeats it"),
    );
  }

  /** Idempotent. */
  async finish({ organizationId, callId, part }: DeletionJob): Promise<void> {
    const { database, bus, recordings, webhooks } = this.#options;
    if (part === "call") await webhooks.deleteOfCall(database, callId);
    else await webhooks.redact(database, callId, part);
    await bus.publish(database, CALL_FILES_TOPIC, callId);
    if (part === "transcript") return;
    await recordings.deleteFile({ organizationId, callId }, AbortSignal.timeout(FILE_DEADLINE_MS));
  }

  async #deleteRecords(transaction: Queries, call: EndedCall, part: DeletedPart): Promise<void> {
    const { calls, recordings, clock } = this.#options;
    switch (part) {
      case "call":
        return await calls.delete(transaction, call);
      case "transcript":
        return await calls.deleteTranscript(transaction, call, clock.now());
      case "recording":
        await recordings.forget(transaction, call.id);
        if (call.recordingStatus === null) return;
        await calls.noteResult(transaction, call.id, { recordingStatus: "deleted" }, clock.now());
    }
  }
}

export function finishCallDeletionJob(deletion: CallDeletionService): JobKind<DeletionJob> {
  return { ...DELETION_JOB, retries: RETRIES, run: async (job) => await deletion.finish(job) };
}
