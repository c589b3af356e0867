import type { Encryption } from "./encryption.ts";
import type { EncryptedColumn } from "./reencryption.ts";

/** Secrets that were encrypted with a key that this node does not have. */
export interface UnreadableSecrets {
  /** Table and column. */
  place: string;
  /** Id of the key; absent if the texts of a library do not name it. */
  keyId?: string;
  count: number;
}

/** Runs a query and returns its rows. */
export type Select = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** The id of a text's key follows the version. In a document, encrypted texts are the values of one name. */
const patterns = {
  text: String.raw`^v2\.([0-9a-f]{8})\.`,
  jsonb: String.raw`"encryptedPairs": ?"v2\.([0-9a-f]{8})\.`,
} as const;

/** Counts the stored secrets that none of these keys decrypts, by place and key. Reads every secret. */
export async function findUnreadableSecrets(
  select: Select,
  columns: readonly EncryptedColumn[],
  encryption: Encryption,
): Promise<UnreadableSecrets[]> {
  const found: UnreadableSecrets[] = [];
  for (const encrypted of columns) {
    if (!(await exists(select, encrypted))) continue;
    const place = `${encrypted.table}.${encrypted.column}`;
    for (const { keyId, count } of await countByMissingKey(select, encrypted, encryption)) {
      const isOwn = "contextOf" in encrypted;
      found.push({ place, ...(isOwn && { keyId: String(keyId) }), count: Number(count) });
    }
  }
  return found;
}

/** Whether the column exists: the doctor also examines databases of earlier versions. */
async function exists(select: Select, { table, column }: EncryptedColumn): Promise<boolean> {
  const rows = await select(
    "select 1 from information_schema.columns where table_schema = 'public' and table_name = $1 and column_name = $2",
    [table, column],
  );
  return rows.length > 0;
}

async function countByMissingKey(select: Select, encrypted: EncryptedColumn, encryption: Encryption) {
  const { table, column, type } = encrypted;
  const [pattern, keyIds] =
    "contextOf" in encrypted
      ? [patterns[type], encryption.keyIds]
      : [encrypted.keyVersionPattern, encrypted.keyVersionsOf(encryption)];
  // Cheaper than the pattern, and excludes most documents.
  const likely = type === "jsonb" ? "%encryptedPairs%" : "%";
  return await select(
    `select match[1] as "keyId", count(*)::int as count
     from "${table}", regexp_matches("${column}"::text, $1, 'g') as match
     where "${column}"::text like $2 and match[1] <> all($3) group by 1 order by 1`,
    [pattern, likely, keyIds],
  );
}

/** One sentence for the operator, without its period. */
export function describeUnreadable(found: readonly UnreadableSecrets[]): string {
  const parts = found.map(({ place, keyId, count }) => {
    return `${count} in ${place} need ${keyId === undefined ? "another key" : `the key ${keyId}`}`;
  });
  return `Stored secrets cannot be decrypted, because PARLEY_ENCRYPTION_KEY lacks their keys: ${parts.join(", ")}`;
}
