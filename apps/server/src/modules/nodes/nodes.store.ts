import { and, desc, eq, gt, inArray, lt, ne, notInArray, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { nodes } from "./nodes.tables.ts";

/** Held by the one node that sweeps at this time. */
const SWEEP_LOCK = 7_264_541;

type NodeInsert = typeof nodes.$inferInsert;

/** @returns whether the node was not there: it is new, or was taken for lost. */
export async function writeBeat(queries: Queries, node: NodeInsert): Promise<boolean> {
  const { id: _id, startedAt: _startedAt, ...changing } = node;
  const [row] = await queries
    .insert(nodes)
    .values(node)
    .onConflictDoUpdate({ target: nodes.id, set: changing })
    .returning({ isNew: sql<boolean>`xmax = 0` });
  return row?.isNew === true;
}

export async function deleteNode(queries: Queries, id: string): Promise<void> {
  await queries.delete(nodes).where(eq(nodes.id, id));
}

/** Until the end of the transaction; false where another node has the lock. */
export async function takeSweepLock(queries: Queries): Promise<boolean> {
  const { rows } = await queries.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as taken`,
  );
  return rows[0]?.taken === true;
}

/** @returns the ids of those that were silent since then. */
export async function deleteSilentNodes(queries: Queries, silentSince: Date): Promise<string[]> {
  const rows = await queries.delete(nodes).where(lt(nodes.beatAt, silentSince)).returning({ id: nodes.id });
  return rows.map(({ id }) => id);
}

/** Of the nodes that take calls and have not been silent since then. */
export async function listBeats(
  queries: Queries,
  silentSince: Date,
): Promise<{ id: string; beatAt: Date }[]> {
  return await queries
    .select({ id: nodes.id, beatAt: nodes.beatAt })
    .from(nodes)
    .where(and(gt(nodes.beatAt, silentSince), ne(nodes.state, "draining")));
}

export async function listNodeIds(queries: Queries): Promise<string[]> {
  const rows = await queries.select({ id: nodes.id }).from(nodes);
  return rows.map(({ id }) => id);
}

/**
 * HTTP origin of a node; `undefined` if it is gone, or is the asking node. A node that ended without signing off may have had the
 * asking node's address.
 */
export async function findOtherAddress(
  queries: Queries,
  nodeId: string,
  askingNodeId: string,
): Promise<string | undefined> {
  const rows = await queries
    .select({ id: nodes.id, httpAddress: nodes.httpAddress })
    .from(nodes)
    .where(inArray(nodes.id, [nodeId, askingNodeId]));
  const addressOf = (id: string) => rows.find((row) => row.id === id)?.httpAddress;
  const address = addressOf(nodeId);
  return address === addressOf(askingNodeId) ? undefined : address;
}

/** Of those that have beaten since then the one that could take most calls; undefined where no other could take any. */
export async function findReadyNode(
  queries: Queries,
  exceptIds: readonly string[],
  silentSince: Date,
): Promise<string | undefined> {
  const [row] = await queries
    .select({ id: nodes.id })
    .from(nodes)
    .where(and(eq(nodes.state, "ready"), notInArray(nodes.id, [...exceptIds]), gt(nodes.beatAt, silentSince)))
    .orderBy(desc(nodes.freePlaces))
    .limit(1);
  return row?.id;
}
