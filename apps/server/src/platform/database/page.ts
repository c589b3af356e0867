import type { PageQuery } from "@parley/contract";
import { type AnyColumn, asc, desc } from "drizzle-orm";

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

export function toPage<Row, T>(query: PageQuery, { rows, total }: Rows<Row>, present: (row: Row) => T) {
  const { page, pageSize } = query;
  return { data: rows.map(present), page, pageSize, total, hasNextPage: page * pageSize < total };
}
