import type { AgentStatus, PageQuery } from "@parley/contract";
import { type SQL, and, asc, eq, inArray, or, sql } from "drizzle-orm";
import { contains } from "../../platform/database/contains.ts";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { prepareOnce } from "../../platform/database/prepared-query.ts";
import { agentVersions, agents } from "./agents.tables.ts";

export type AgentRow = typeof agents.$inferSelect;
type AgentInsert = typeof agents.$inferInsert;
export type VersionRow = typeof agentVersions.$inferSelect;
type VersionInsert = typeof agentVersions.$inferInsert;

export interface AgentFilter extends PageQuery {
  search?: string;
  status?: AgentStatus;
  folderId?: string;
  sipTrunkId?: string;
}

const ownedBy = (organizationId: string, id: string) =>
  and(eq(agents.organizationId, organizationId), eq(agents.id, id));

export async function insertAgent(queries: Queries, agent: AgentInsert): Promise<AgentRow> {
  const [row] = await queries.insert(agents).values(agent).returning();
  if (row === undefined) throw new Error("the agent was not stored");
  return row;
}

const agentById = prepareOnce((queries) =>
  queries
    .select()
    .from(agents)
    .where(
      and(eq(agents.organizationId, sql.placeholder("organizationId")), eq(agents.id, sql.placeholder("id"))),
    )
    .prepare(""),
);

export async function findAgent(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<AgentRow | undefined> {
  const [row] = await agentById(queries).execute({ organizationId, id });
  return row;
}

const revisionsByWidgetKey = prepareOnce((queries) =>
  queries
    .select({
      id: agents.id,
      organizationId: agents.organizationId,
      revision: agents.revision,
      publishedRevision: agents.publishedRevision,
    })
    .from(agents)
    .where(eq(agents.widgetKey, sql.placeholder("widgetKey")))
    .prepare(""),
);

/** Returns the numbers of an agent's latest and published revisions. */
export async function findRevisionsByWidgetKey(queries: Queries, widgetKey: string) {
  const [row] = await revisionsByWidgetKey(queries).execute({ widgetKey });
  return row;
}

/** Locks the agent's row: of two concurrent writers the second sees the first one's changes. */
export async function lockAgent(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<AgentRow | undefined> {
  const [row] = await queries.select().from(agents).where(ownedBy(organizationId, id)).for("update");
  return row;
}

/** Locks the agent against deletion. Returns whether it exists. */
export async function lockAgentForReference(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await queries
    .select({ id: agents.id })
    .from(agents)
    .where(ownedBy(organizationId, id))
    .for("key share");
  return rows.length > 0;
}

export async function findAgentNames(
  queries: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return await queries
    .select({ id: agents.id, name: agents.name })
    .from(agents)
    .where(and(eq(agents.organizationId, organizationId), inArray(agents.id, [...ids])));
}

/** Locks the agents in the order of their ids. */
export async function lockAgents(
  queries: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await queries
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.organizationId, organizationId), inArray(agents.id, [...ids])))
    .orderBy(asc(agents.id))
    .for("update");
  return rows.map(({ id }) => id);
}

export async function listAgents(
  queries: Queries,
  organizationId: string,
  filter: AgentFilter,
): Promise<Rows<AgentRow>> {
  const conditions: SQL[] = [eq(agents.organizationId, organizationId)];
  if (filter.status !== undefined) conditions.push(eq(agents.status, filter.status));
  if (filter.folderId !== undefined) conditions.push(eq(agents.folderId, filter.folderId));
  if (filter.sipTrunkId !== undefined) conditions.push(eq(agents.sipTrunkId, filter.sipTrunkId));
  if (filter.search !== undefined) conditions.push(contains(agents.name, filter.search));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, agents.createdAt, agents.id);
  const rows = await queries
    .select()
    .from(agents)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, agents, where) };
}

/** Agents that reference the trunk, folder, messaging connection or knowledge base. */
export async function listAgentsReferringTo(
  queries: Queries,
  reference:
    | { sipTrunkId: string }
    | { folderId: string }
    | { messagingConnectionId: string }
    | { knowledgeBaseId: string },
): Promise<string[]> {
  const where = and(
    "knowledgeBaseId" in reference
      ? sql`${agents.document} -> 'knowledgeBaseIds' ? ${reference.knowledgeBaseId}`
      : undefined,
    "folderId" in reference ? eq(agents.folderId, reference.folderId) : undefined,
    "sipTrunkId" in reference ? eq(agents.sipTrunkId, reference.sipTrunkId) : undefined,
    "messagingConnectionId" in reference
      ? eq(agents.messagingConnectionId, reference.messagingConnectionId)
      : undefined,
  );
  const rows = await queries.select({ id: agents.id }).from(agents).where(where);
  return rows.map(({ id }) => id);
}

/** Returns the id of the agent whose messages have this number on this connection. */
export async function findAgentWithMessagingNumber(
  queries: Queries,
  messagingConnectionId: string,
  number: string,
): Promise<string | undefined> {
  const [row] = await queries
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.messagingConnectionId, messagingConnectionId), eq(agents.messagingNumber, number)));
  return row?.id;
}

/** See `AgentsService.listMessagingCandidates`. */
export async function listMessagingCandidates(
  queries: Queries,
  organizationId: string,
  messagingConnectionId: string,
  number: string,
): Promise<string[]> {
  const published = sql`${agentVersions.snapshot}`;
  const rows = await queries
    .select({ id: agents.id })
    .from(agents)
    .leftJoin(
      agentVersions,
      and(eq(agentVersions.agentId, agents.id), eq(agentVersions.revision, agents.publishedRevision)),
    )
    .where(
      and(
        eq(agents.organizationId, organizationId),
        or(
          eq(agents.messagingConnectionId, messagingConnectionId),
          sql`${published} ->> 'messagingConnectionId' = ${messagingConnectionId}`,
        ),
        or(
          eq(agents.messagingNumber, number),
          sql`${published} -> 'messagingConfig' ->> 'fromNumber' = ${number}`,
          sql`${agents.document} -> 'phoneNumbers' @> ${JSON.stringify([{ e164: number }])}::jsonb`,
        ),
      ),
    )
    .orderBy(asc(agents.createdAt), asc(agents.id));
  return rows.map(({ id }) => id);
}

export async function updateAgent(queries: Queries, id: string, change: Partial<AgentInsert>): Promise<void> {
  await queries.update(agents).set(change).where(eq(agents.id, id));
}

export async function deleteAgent(queries: Queries, id: string): Promise<void> {
  await queries.delete(agents).where(eq(agents.id, id));
}

export async function insertVersion(queries: Queries, version: VersionInsert): Promise<void> {
  await queries.insert(agentVersions).values(version);
}

const versionsOf = (organizationId: string, agentId: string) =>
  and(eq(agentVersions.organizationId, organizationId), eq(agentVersions.agentId, agentId));

/** Finds versions of deleted agents too. */
export async function findVersion(
  queries: Queries,
  organizationId: string,
  agentId: string,
  revision: number,
): Promise<VersionRow | undefined> {
  const [row] = await queries
    .select()
    .from(agentVersions)
    .where(and(versionsOf(organizationId, agentId), eq(agentVersions.revision, revision)));
  return row;
}

/** Versions without their snapshots. */
export async function listVersions(
  queries: Queries,
  organizationId: string,
  agentId: string,
  query: PageQuery,
) {
  const { id, revision, kind, actor, changedFields, createdAt } = agentVersions;
  const where = versionsOf(organizationId, agentId);
  // Ordered by revision: two writes may have the same millisecond.
  const { limit, offset, orderBy } = pageOf(query, revision, id);
  const rows = await queries
    .select({ id, agentId: agentVersions.agentId, revision, kind, actor, changedFields, createdAt })
    .from(agentVersions)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, agentVersions, where) };
}
