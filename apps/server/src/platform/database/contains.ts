import { type AnyColumn, ilike, type SQL } from "drizzle-orm";

/** Whether a column contains a text, in any case. The text's wildcards stand for themselves. */
export function contains(column: AnyColumn, text: string): SQL {
  return ilike(column, `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
}
