import type { AuditLogQuery, OperatorAuditLogQuery, PageQuery } from "@parley/contract";
import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
import { auditLog } from "./audit-log.tables.ts";

export type EntryRow = typeof auditLog.$inferSelect;

export async function insertEntry(queries: Queries, entry: typeof auditLog.$inferInsert): Promise<void> {
  await queries.insert(auditLog).values(entry);
}

export async function listEntries(
  queries: Queries,
  organizationId: string,
  query: AuditLogQuery,
): Promise<Rows<EntryRow>> {
  const { actorId, action, targetId, createdAfter, createdBefore } = query;
  const where = and(
    eq(auditLog.organizationId, organizationId),
    actorId === undefined ? undefined : eq(auditLog.actorId, actorId),
    action === undefined ? undefined : eq(auditLog.action, action),
    targetId === undefined ? undefined : eq(auditLog.targetId, targetId),
    createdAfter === undefined ? undefined : gte(auditLog.createdAt, new Date(createdAfter)),
    createdBefore === undefined ? undefined : lt(auditLog.createdAt, new Date(createdBefore)),
  );
  return await listWhere(queries, query, where);
}

export async function listOperatorEntries(
  queries: Queries,
  query: OperatorAuditLogQuery,
): Promise<Rows<EntryRow>> {
  const { organizationId } = query;
  const where = and(
    // As in the condition of the index.
    sql`${auditLog.actorType} = 'operator'`,
    organizationId === undefined ? undefined : eq(auditLog.organizationId, organizationId),
  );
  return await listWhere(queries, query, where);
}

async function listWhere(
  queries: Queries,
  query: PageQuery,
  where: SQL | undefined,
): Promise<Rows<EntryRow>> {
  const { limit, offset, orderBy } = pageOf(query, auditLog.createdAt, auditLog.id);
  const rows = await queries
    .select()
    .from(auditLog)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, auditLog, where) };
}

export async function deleteBefore(queries: Queries, before: Date): Promise<void> {
  await queries.delete(auditLog).where(lt(auditLog.createdAt, before));
}
