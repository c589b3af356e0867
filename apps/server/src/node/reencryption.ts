import { type EncryptedColumn, reencryptionJob } from "../platform/encryption/reencryption.ts";
import {
  describeUnreadable,
  findUnreadableSecrets,
  type Select,
} from "../platform/encryption/missing-keys.ts";
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
  void reportUnreadable({ database, encryption, logger }, [...columns, encryptedAnswers]);
  const { fingerprint, fingerprints } = encryption;
  if (fingerprints.length > 1) await jobs.enqueue(database, job, { fingerprint });
}

/** Logs which secrets this node cannot use, before a call needs one of them. Never rejects. */
export async function reportUnreadable(
  { database, encryption, logger }: Pick<OpenedResources, "database" | "encryption" | "logger">,
  columns: readonly EncryptedColumn[],
): Promise<void> {
  const select: Select = async (text, values) =>
    (await database.$client.query<Record<string, unknown>>(text, values)).rows;
  try {
    const secrets = await findUnreadableSecrets(select, columns, encryption);
    if (secrets.length > 0) logger.error({ secrets }, describeUnreadable(secrets));
  } catch (error) {
    logger.warn({ err: error }, "looking for secrets without a key failed");
  }
}
