import type { AgentStatus, PageQuery } from "@parley/contract";
import { type SQL, and, count, eq, ilike } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { type Rows, pageOf } from "../../platform/database/page.ts";
import { agents } from "./agents.tables.ts";

export type AgentRow = typeof agents.$inferSelect;
export type AgentInsert = typeof agents.$inferInsert;

export interface AgentFilter extends PageQuery {
  search?: string;
  status?: AgentStatus;
}

const ownedBy = (organizationId: string, id: string) =>
  and(eq(agents.organizationId, organizationId), eq(agents.id, id));

export async function insertAgent(queries: Queries, agent: AgentInsert): Promise<AgentRow> {
  const [row] = await queries.insert(agents).values(agent).returning();
  if (row === undefined) throw new Error("the agent was not stored");
  return row;
}

export async function findAgent(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<AgentRow | undefined> {
  const [row] = await queries.select().from(agents).where(ownedBy(organizationId, id));
  return row;
}

/** Of two writers at once the second sees what the first wrote. */
export async function lockAgent(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<AgentRow | undefined> {
  const [row] = await queries.select().from(agents).where(ownedBy(organizationId, id)).for("update");
  return row;
}

export async function listAgents(
  queries: Queries,
  organizationId: string,
  filter: AgentFilter,
): Promise<Rows<AgentRow>> {
  const conditions: SQL[] = [eq(agents.organizationId, organizationId)];
  if (filter.status !== undefined) conditions.push(eq(agents.status, filter.status));
  if (filter.search !== undefined) conditions.push(ilike(agents.name, `%${escapePattern(filter.search)}%`));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, agents.createdAt, agents.id);
  const rows = await queries
    .select()
    .from(agents)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  const [counted] = await queries.select({ total: count() }).from(agents).where(where);
  return { rows, total: counted?.total ?? 0 };
}

export async function updateAgent(
  queries: Queries,
  id: string,
  change: Partial<AgentInsert>,
): Promise<AgentRow> {
  const [row] = await queries.update(agents).set(change).where(eq(agents.id, id)).returning();
  if (row === undefined) throw new Error("the agent vanished while it was changed");
  return row;
}

export async function deleteAgent(queries: Queries, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await queries.delete(agents).where(ownedBy(organizationId, id));
  return rowCount === 1;
}

/** In a LIKE pattern these three are not themselves. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
