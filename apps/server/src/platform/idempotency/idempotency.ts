import { createHash } from "node:crypto";
import { and, eq, lte, sql } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import { AppError } from "../app-error.ts";
import { canonicalJson } from "../canonical-json.ts";
import type { Database, Queries } from "../database/database.ts";
import type { Encryption } from "../encryption/encryption.ts";
import type { EncryptedColumn } from "../encryption/reencryption.ts";
import { hasAfterCommit, inJointTransaction } from "../database/joint-transaction.ts";
import { forEachInSlices } from "../in-slices.ts";
import { idempotencyKeys } from "./idempotency.tables.ts";

const KEPT_FOR_MS = 24 * 60 * 60 * 1000;
/** Longer than any wait for other nodes; the longest is about 10 s, for placing a call. */
const RUNNING_FOR_MS = 60_000;
/** Level of an item of a list in a body: the content is the query and the body. */
const PIECE_LEVEL = 3;

export interface KeyedRequest {
  organizationId: string;
  method: string;
  /** Path as requested, ids included. */
  path: string;
  /** Key chosen by the client. */
  key: string;
  /** Content that must be equal when the request is repeated. */
  content: unknown;
}

type FingerprintedRequest = KeyedRequest & { fingerprint: string };

export interface KeptAnswer {
  status: number;
  body: string;
}

/** Properties of the effect of `run`. */
export interface EffectOptions {
  /** Whether the effect is outside the database, such as a call placed by another node. */
  isRemote?: boolean;
}

type ReplayableAnswer = KeptAnswer & { isReplayed: boolean };

/**
 * Ensures that a request repeated under its `Idempotency-Key` takes effect once. Answers are stored encrypted, because
 * they may contain secrets, such as the headers of a tool.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #encryption: Encryption;
  readonly #clock: Clock;

  constructor(database: Database, encryption: Encryption, clock: Clock) {
    this.#database = database;
    this.#encryption = encryption;
    this.#clock = clock;
  }

  /**
   * Returns the stored answer, or that of `run`. Throws `idempotency_conflict` and `idempotency_in_progress`.
   *
   * `run` runs in a transaction that stores its effects and its answer together: a failure or crash leaves neither.
   * Work that it registers with `afterCommit` is awaited; until then the key is in progress, and if that work fails the
   * answer is not stored.
   *
   * A remote effect is not part of a transaction. The key is reserved before `run`, which then uses no connection, and
   * the answer is stored after it. A failure frees the key; if the node dies, the key is free one minute later.
   */
  async once(
    request: KeyedRequest,
    run: () => Promise<KeptAnswer>,
    { isRemote = false }: EffectOptions = {},
  ): Promise<ReplayableAnswer> {
    const fingerprinted = { ...request, fingerprint: await fingerprintOf(request) };
    const runningUntil = new Date(this.#clock.now().getTime() + RUNNING_FOR_MS);
    return isRemote
      ? await this.#onceRemotely(fingerprinted, runningUntil, run)
      : await this.#onceInTransaction(fingerprinted, runningUntil, run);
  }

  async #onceInTransaction(
    request: FingerprintedRequest,
    runningUntil: Date,
    run: () => Promise<KeptAnswer>,
  ): Promise<ReplayableAnswer> {
    let isUnfinished = false;
    const inTransaction = async (transaction: Queries): Promise<ReplayableAnswer> => {
      const kept = await this.#lock(transaction, request);
      if (kept !== undefined) return { ...kept, isReplayed: true };
      const answer = await run();
      isUnfinished = hasAfterCommit();
      await this.#write(transaction, request, {
        ...this.#encrypt(request, answer),
        runningUntil: isUnfinished ? runningUntil : null,
      });
      return { ...answer, isReplayed: false };
    };
    try {
      const answer = await inJointTransaction(this.#database, inTransaction);
      if (isUnfinished) await this.#finish(request, runningUntil, answer);
      return answer;
    } catch (error) {
      if (isUnfinished) await this.#free(request, runningUntil);
      throw error;
    }
  }

  async #onceRemotely(
    request: FingerprintedRequest,
    runningUntil: Date,
    run: () => Promise<KeptAnswer>,
  ): Promise<ReplayableAnswer> {
    const kept = await inJointTransaction(this.#database, async (transaction) => {
      const found = await this.#lock(transaction, request);
      if (found === undefined)
        await this.#write(transaction, request, { status: null, encryptedBody: null, runningUntil });
      return found;
    });
    if (kept !== undefined) return { ...kept, isReplayed: true };
    let answer: KeptAnswer;
    try {
      answer = await run();
    } catch (error) {
      await this.#free(request, runningUntil);
      throw error;
    }
    await this.#finish(request, runningUntil, answer);
    return { ...answer, isReplayed: false };
  }

  /** Locks the key until the transaction ends; returns the answer stored under it. */
  async #lock(transaction: Queries, request: FingerprintedRequest): Promise<KeptAnswer | undefined> {
    if (!(await isFirst(transaction, request))) throw new AppError("idempotency_in_progress");
    const now = this.#clock.now();
    const [row] = await transaction.select().from(idempotencyKeys).where(isFor(request));
    if (row === undefined || row.expiresAt <= now) return undefined;
    if (row.fingerprint !== request.fingerprint) throw new AppError("idempotency_conflict");
    const isRunning = row.runningUntil !== null && row.runningUntil > now;
    if (isRunning) throw new AppError("idempotency_in_progress");
    const { status, encryptedBody } = row;
    if (status === null || encryptedBody === null) return undefined;
    return { status, body: this.#encryption.decrypt(encryptedBody, contextOf(request)) };
  }

  async #write(
    transaction: Queries,
    request: FingerprintedRequest,
    state: Pick<typeof idempotencyKeys.$inferSelect, "status" | "encryptedBody" | "runningUntil">,
  ): Promise<void> {
    const { organizationId, method, path, key, fingerprint } = request;
    const expiresAt = new Date(this.#clock.now().getTime() + KEPT_FOR_MS);
    const row = { ...state, fingerprint, expiresAt };
    await transaction
      .insert(idempotencyKeys)
      .values({ organizationId, method, path, key, ...row })
      .onConflictDoUpdate({ target: keyColumns, set: row });
  }

  async #finish(request: KeyedRequest, runningUntil: Date, answer: KeptAnswer): Promise<void> {
    await this.#database
      .update(idempotencyKeys)
      .set({ ...this.#encrypt(request, answer), runningUntil: null })
      .where(and(isFor(request), eq(idempotencyKeys.runningUntil, runningUntil)));
  }

  async #free(request: KeyedRequest, runningUntil: Date): Promise<void> {
    await this.#database
      .delete(idempotencyKeys)
      .where(and(isFor(request), eq(idempotencyKeys.runningUntil, runningUntil)));
  }

  #encrypt(request: KeyedRequest, { status, body }: KeptAnswer) {
    return { status, encryptedBody: this.#encryption.encrypt(body, contextOf(request)) };
  }

  /** Deletes expired answers and returns their number. */
  async deleteExpired(): Promise<number> {
    const isExpired = lte(idempotencyKeys.expiresAt, this.#clock.now());
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

function contextOf({ organizationId, method, path, key }: KeyedRequest): string {
  return contextOfKey(organizationId, method, path, key);
}

const contextOfKey = (...key: string[]): string => `idempotency_keys/${JSON.stringify(key)}`;

export const encryptedAnswers: EncryptedColumn = {
  table: "idempotency_keys",
  column: "encrypted_body",
  type: "text",
  key: ["organization_id", "method", "path", "key"],
  contextOf: contextOfKey,
};

/** Independent of the order of keys, in which serializers differ from run to run. */
/** Equal for equal content. Other work of the process runs meanwhile: the content may be ten thousand contacts. */
async function fingerprintOf({ content }: KeyedRequest): Promise<string> {
  const hash = createHash("sha256");
  await forEachInSlices(piecesOf(content), (piece) => hash.update(`${piece}\n`));
  return hash.digest("hex");
}

/** Divides a value into pieces of canonical JSON, down to the items of the lists in a body. */
function* piecesOf(value: unknown, level = 0): Generator<string> {
  if (typeof value !== "object" || value === null || level === PIECE_LEVEL) yield canonicalJson(value);
  else if (Array.isArray(value)) {
    yield `[${value.length}`;
    for (const each of value) yield* piecesOf(each, level + 1);
  } else {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    yield `{${entries.length}`;
    for (const [name, each] of entries) {
      yield JSON.stringify(name);
      yield* piecesOf(each, level + 1);
    }
  }
}

/** Locks the key until the transaction ends, also if its node dies; `false` if another request has locked it. */
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
