import type { PageQuery } from "@parley/contract";
import { type AnyColumn, asc, count, desc, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Queries } from "./database.ts";

/** `limit`, `offset` and the order of a page; rows of one instant are told apart by id. */
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
  /** On all pages. */
  total: number;
}

/** On all pages. */
export async function countRows(queries: Queries, table: PgTable, where: SQL | undefined): Promise<number> {
  const [counted] = await queries.select({ total: count() }).from(table).where(where);
  return counted?.total ?? 0;
}

export function toPage<Row, T>(query: PageQuery, { rows, total }: Rows<Row>, present: (row: Row) => T) {
  const { page, pageSize } = query;
  return { data: rows.map(present), page, pageSize, total, hasNextPage: page * pageSize < total };
}
