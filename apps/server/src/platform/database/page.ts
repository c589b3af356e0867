import type { PageQuery } from "@parley/contract";
import { type AnyColumn, asc, count, desc, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Queries } from "./database.ts";

/** `limit`, `offset` and order of a page; rows of the same instant are ordered by id. */
export function pageOf(query: PageQuery, createdAt: AnyColumn, id: AnyColumn) {
  const direction = query.sort === "asc" ? asc : desc;
  return {
    limit: query.pageSize,
    offset: (query.page - 1) * query.pageSize,
    orderBy: [direction(createdAt), direction(id)],
  };
}

export interface Rows<Row> {
  rows: Row[];
  /** Number of rows on all pages. */
  total: number;
}

/** Number of rows on all pages. */
export async function countRows(queries: Queries, table: PgTable, where: SQL | undefined): Promise<number> {
  const [counted] = await queries.select({ total: count() }).from(table).where(where);
  return counted?.total ?? 0;
}

export function toPage<Row, T>(query: PageQuery, { rows, total }: Rows<Row>, present: (row: Row) => T) {
  const { page, pageSize } = query;
  return { data: rows.map(present), page, pageSize, total, hasNextPage: page * pageSize < total };
}
