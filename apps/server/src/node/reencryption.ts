import { type EncryptedColumn, reencryptionJob } from "../platform/encryption/reencryption.ts";
import { encryptedAnswers } from "../platform/idempotency/idempotency.ts";
import type { OpenedResources } from "./resources.ts";

/**
 * Starts to process re-encryption and, if there are several keys, enqueues it with the first one: each node of a cluster
 * does so when it starts, so the last one also finds what was written before by nodes with another first key.
 */
export async function startReencryption(
  {
    database,
    encryption,
    jobs,
    logger,
  }: Pick<OpenedResources, "database" | "encryption" | "jobs" | "logger">,
  columns: readonly EncryptedColumn[],
): Promise<void> {
  const job = reencryptionJob({ database, encryption, columns: [...columns, encryptedAnswers], logger });
  await jobs.work(job);
  const { fingerprint, fingerprints } = encryption;
  if (fingerprints.length > 1) await jobs.enqueue(database, job, { fingerprint });
}
