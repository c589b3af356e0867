import type { EncryptedColumn } from "./reencryption.ts";

/** Secrets that were encrypted with a key that this node does not have. */
export interface UnreadableSecrets {
  /** Table and column. */
  place: string;
  /** Id of the key. */
  keyId: string;
  count: number;
}

/** Runs a query and returns its rows. */
export type Select = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** The id of a text's key follows the version. In a document, encrypted texts are the values of one name. */
const patterns = {
  text: String.raw`^v2\.([0-9a-f]{8})\.`,
  jsonb: String.raw`"encryptedPairs": ?"v2\.([0-9a-f]{8})\.`,
} as const;

/** Counts the stored secrets that none of the keys with these ids decrypts, by place and key. Reads every secret. */
export async function findUnreadableSecrets(
  select: Select,
  columns: readonly EncryptedColumn[],
  keyIds: readonly string[],
): Promise<UnreadableSecrets[]> {
  const found: UnreadableSecrets[] = [];
  for (const { table, column, type } of columns) {
    // The doctor also examines databases of earlier versions.
    const [there] = await select(
      "select 1 from information_schema.columns where table_schema = 'public' and table_name = $1 and column_name = $2",
      [table, column],
    );
    if (there === undefined) continue;
    const likely = type === "jsonb" ? "%encryptedPairs%" : "v2.%";
    const rows = await select(
      `select match[1] as "keyId", count(*)::int as count
       from "${table}", regexp_matches("${column}"::text, $1, 'g') as match
       where "${column}"::text like $2 and match[1] <> all($3) group by 1 order by 1`,
      [patterns[type], likely, keyIds],
    );
    for (const { keyId, count } of rows)
      found.push({ place: `${table}.${column}`, keyId: String(keyId), count: Number(count) });
  }
  return found;
}

/** One sentence for the operator, without its period. */
export function describeUnreadable(found: readonly UnreadableSecrets[]): string {
  const parts = found.map(({ place, keyId, count }) => `${count} in ${place} need the key ${keyId}`);
  return `Stored secrets cannot be decrypted, because PARLEY_ENCRYPTION_KEY lacks their keys: ${parts.join(", ")}`;
}
