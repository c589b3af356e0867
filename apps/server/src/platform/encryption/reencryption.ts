import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import type { JobKind } from "../jobs/jobs.ts";
import type { Encryption } from "./encryption.ts";
import { encryptionKeys } from "./encryption.tables.ts";

const BATCH_SIZE = 200;
const EXPIRE_SECONDS = 3_600;

interface StoredTexts {
  table: string;
  column: string;
  type: "text" | "jsonb";
  /** Columns of a unique key. */
  key: readonly string[];
}

/** A column with texts of `Encryption`. */
interface OwnColumn extends StoredTexts {
  /** Context of the texts of a row, from its key's values as text (`Encryption.encrypt`). */
  contextOf: (...key: string[]) => string;
}

/** A column with texts that a library encrypted with a derived key. */
interface LibraryColumn extends StoredTexts {
  reencrypt: (encryption: Encryption, text: string) => Promise<string>;
  /** POSIX regular expression that captures the version of a text's key. */
  keyVersionPattern: string;
  keyVersionsOf: (encryption: Encryption) => string[];
}

/** A column with encrypted texts. */
export type EncryptedColumn = OwnColumn | LibraryColumn;

/** In a JSON document, encrypted texts are the values of this name. Quotes inside of other values are escaped. */
const inDocument = /(?<="encryptedPairs": ?")[^"]+(?=")/g;
const wholeText = /^.+$/gs;

interface ReencryptionDependencies {
  database: Database;
  encryption: Encryption;
  columns: readonly EncryptedColumn[];
  logger: Logger;
}

/** Encrypts all stored secrets with the key of this fingerprint. Idempotent: a run that is interrupted is repeated. */
export function reencryptionJob({
  database,
  encryption,
  columns,
  logger,
}: ReencryptionDependencies): JobKind<{ fingerprint: string }> {
  return {
    name: "reencrypt-secrets",
    expireSeconds: EXPIRE_SECONDS,
    run: async ({ fingerprint }) => {
      const target = encryption.encryptingWith(fingerprint);
      let changed = 0;
      for (const column of columns) changed += await reencryptColumn(database, target, column);
      await database.update(encryptionKeys).set({ fingerprint });
      logger.info({ changed, keyId: target.keyId }, "all stored secrets are encrypted with one key");
    },
  };
}

async function reencryptColumn(
  database: Database,
  encryption: Encryption,
  encrypted: EncryptedColumn,
): Promise<number> {
  let changed = 0;
  let after: readonly string[] | undefined;
  for (;;) {
    const rows = await readBatch(database, encrypted, after);
    for (const [value = "", ...key] of rows) {
      const replaced =
        "reencrypt" in encrypted
          ? await encrypted.reencrypt(encryption, value)
          : reencryptTexts(encryption, encrypted, value, key);
      if (replaced !== value) changed += await replace(database, encrypted, key, value, replaced);
    }
    if (rows.length < BATCH_SIZE) return changed;
    after = rows.at(-1)?.slice(1);
  }
}

function reencryptTexts(
  encryption: Encryption,
  { type, contextOf }: OwnColumn,
  value: string,
  key: readonly string[],
): string {
  const context = contextOf(...key);
  return value.replaceAll(type === "jsonb" ? inDocument : wholeText, (text) =>
    encryption.reencrypt(text, context),
  );
}

const keyOf = ({ key }: EncryptedColumn): SQL =>
  sql.join(
    key.map((name) => sql`${sql.identifier(name)}::text`),
    sql`, `,
  );

const valuesOf = (key: readonly string[]): SQL =>
  sql.join(
    key.map((value) => sql`${value}`),
    sql`, `,
  );

/** Returns rows as their value and key, in the order of their keys. */
async function readBatch(
  database: Database,
  encrypted: EncryptedColumn,
  after: readonly string[] | undefined,
): Promise<string[][]> {
  const column = sql.identifier(encrypted.column);
  const isLater = after === undefined ? sql`true` : sql`(${keyOf(encrypted)}) > (${valuesOf(after)})`;
  const { rows } = await database.execute<{ row: string[] }>(sql`
    select array[${column}::text, ${keyOf(encrypted)}] as row from ${sql.identifier(encrypted.table)}
    where ${column} is not null and ${isLater} order by ${keyOf(encrypted)} limit ${BATCH_SIZE}`);
  return rows.map(({ row }) => row);
}

/** Leaves a row that was changed meanwhile: a change encrypts with the writer's first key. */
async function replace(
  database: Database,
  encrypted: EncryptedColumn,
  key: readonly string[],
  before: string,
  value: string,
): Promise<number> {
  const column = sql.identifier(encrypted.column);
  const type = sql.raw(encrypted.type);
  const { rowCount } = await database.execute(sql`
    update ${sql.identifier(encrypted.table)} set ${column} = ${value}::${type}
    where (${keyOf(encrypted)}) = (${valuesOf(key)}) and ${column} = ${before}::${type}`);
  return rowCount ?? 0;
}
