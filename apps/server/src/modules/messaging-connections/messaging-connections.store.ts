import type { PageQuery } from "@parley/contract";
import { and, eq } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { messagingConnections } from "./messaging-connections.tables.ts";

export type ConnectionRow = typeof messagingConnections.$inferSelect;
export type ConnectionInsert = typeof messagingConnections.$inferInsert;

const ownedBy = (organizationId: string, id: string) =>
  and(eq(messagingConnections.organizationId, organizationId), eq(messagingConnections.id, id));

export async function insertConnection(
  queries: Queries,
  connection: ConnectionInsert,
): Promise<ConnectionRow> {
  const [row] = await queries.insert(messagingConnections).values(connection).returning();
  if (row === undefined) throw new Error("the messaging connection was not stored");
  return row;
}

export async function findConnection(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<ConnectionRow | undefined> {
  const [row] = await queries.select().from(messagingConnections).where(ownedBy(organizationId, id));
  return row;
}

export async function listConnections(
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Rows<ConnectionRow>> {
  const where = eq(messagingConnections.organizationId, organizationId);
  const { limit, offset, orderBy } = pageOf(query, messagingConnections.createdAt, messagingConnections.id);
  const rows = await queries
    .select()
    .from(messagingConnections)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, messagingConnections, where) };
}

/** Changes the connection unless it was changed after `before` was read. */
export async function updateConnection(
  queries: Queries,
  before: ConnectionRow,
  change: Partial<ConnectionInsert>,
): Promise<ConnectionRow | undefined> {
  const isUnchanged = and(
    eq(messagingConnections.id, before.id),
    eq(messagingConnections.updatedAt, before.updatedAt),
    eq(messagingConnections.encryptedAuthToken, before.encryptedAuthToken),
    eq(messagingConnections.accountSid, before.accountSid),
  );
  const [row] = await queries.update(messagingConnections).set(change).where(isUnchanged).returning();
  return row;
}

/** Finds a connection of any organization. */
export async function findAnyConnection(queries: Queries, id: string): Promise<ConnectionRow | undefined> {
  const [row] = await queries.select().from(messagingConnections).where(eq(messagingConnections.id, id));
  return row;
}

/** Locks the connection against deletion (`key share`), or also against use (`update`). Returns whether it exists. */
export async function lockConnection(
  queries: Queries,
  organizationId: string,
  id: string,
  strength: "key share" | "update",
): Promise<boolean> {
  const rows = await queries
    .select({ id: messagingConnections.id })
    .from(messagingConnections)
    .where(ownedBy(organizationId, id))
    .for(strength);
  return rows.length > 0;
}

export async function deleteConnection(queries: Queries, id: string): Promise<void> {
  await queries.delete(messagingConnections).where(eq(messagingConnections.id, id));
}
