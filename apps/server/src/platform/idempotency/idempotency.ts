import { createHash } from "node:crypto";
import { and, eq, lte, sql } from "drizzle-orm";
import { AppError } from "../app-error.ts";
import type { Database, Queries } from "../database/database.ts";
import { inJointTransaction } from "../database/joint-transaction.ts";
import { idempotencyKeys } from "./idempotency.tables.ts";

const KEPT_FOR_MS = 24 * 60 * 60 * 1000;

export interface KeyedRequest {
  organizationId: string;
  method: string;
  /** As requested, ids included. */
  path: string;
  /** The client's. */
  key: string;
  /** What has to be the same when the request is sent again. */
  content: unknown;
}

export interface KeptAnswer {
  status: number;
  body: string;
}

/** Lets a request that is sent again under its `Idempotency-Key` have its effect once. */
export class Idempotency {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date = () => new Date()) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Gives the answer that was given before, or that of `run`, whose effects and answer are kept together: a failure, or a
   * crash in the middle, leaves neither. An answer that is not true after all, since what was to follow failed, is not kept.
   * Throws `idempotency_conflict` and `idempotency_in_progress`.
   */
  async once(
    request: KeyedRequest,
    run: () => Promise<KeptAnswer>,
  ): Promise<KeptAnswer & { isReplayed: boolean }> {
    let isAnswered = false;
    try {
      return await inJointTransaction(this.#database, async (transaction) => {
        const answer = await this.#answer(transaction, request, run);
        isAnswered = !answer.isReplayed;
        return answer;
      });
    } catch (error) {
      if (isAnswered) await this.#database.delete(idempotencyKeys).where(isFor(request));
      throw error;
    }
  }

  async #answer(
    transaction: Queries,
    request: KeyedRequest,
    run: () => Promise<KeptAnswer>,
  ): Promise<KeptAnswer & { isReplayed: boolean }> {
    const fingerprint = createHash("sha256").update(JSON.stringify(request.content)).digest("hex");
    if (!(await isFirst(transaction, request))) throw new AppError("idempotency_in_progress");
    const now = this.#now();
    const [kept] = await transaction.select().from(idempotencyKeys).where(isFor(request));
    if (kept !== undefined && kept.expiresAt > now) {
      if (kept.fingerprint !== fingerprint) throw new AppError("idempotency_conflict");
      return { status: kept.status, body: kept.body, isReplayed: true };
    }
    const answer = await run();
    const { organizationId, method, path, key } = request;
    const row = { ...answer, fingerprint, expiresAt: new Date(now.getTime() + KEPT_FOR_MS) };
    await transaction
      .insert(idempotencyKeys)
      .values({ organizationId, method, path, key, ...row })
      .onConflictDoUpdate({ target: keyColumns, set: row });
    return { ...answer, isReplayed: false };
  }

  /** Returns how many answers were kept for long enough. */
  async deleteExpired(): Promise<number> {
    const isExpired = lte(idempotencyKeys.expiresAt, this.#now());
    const { rowCount } = await this.#database.delete(idempotencyKeys).where(isExpired);
    return rowCount ?? 0;
  }
}

const keyColumns = [
  idempotencyKeys.organizationId,
  idempotencyKeys.method,
  idempotencyKeys.path,
  idempotencyKeys.key,
];

/** Holds the key to the transaction's end, also where its node dies; false where another request holds it. */
async function isFirst(queries: Queries, request: KeyedRequest): Promise<boolean> {
  const { organizationId, method, path, key } = request;
  const name = JSON.stringify(["idempotency", organizationId, method, path, key]);
  const { rows } = await queries.execute<{ is_first: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_first`,
  );
  return rows[0]?.is_first === true;
}

function isFor({ organizationId, method, path, key }: KeyedRequest) {
  return and(
    eq(idempotencyKeys.organizationId, organizationId),
    eq(idempotencyKeys.method, method),
    eq(idempotencyKeys.path, path),
    eq(idempotencyKeys.key, key),
  );
}
