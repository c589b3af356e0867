import { and, asc, desc, eq, gt, inArray, lt, ne, notInArray, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { nodes } from "./nodes.tables.ts";

/** Advisory lock of the node that sweeps. */
const SWEEP_LOCK = 7_264_541;

export type NodeRow = typeof nodes.$inferSelect;
type NodeInsert = typeof nodes.$inferInsert;

/** @returns whether the node is new: its first beat, or it was marked as lost. */
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

/** Takes the sweep lock until the end of the transaction. Returns false if another node has it. */
export async function takeSweepLock(queries: Queries): Promise<boolean> {
  const { rows } = await queries.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as taken`,
  );
  return rows[0]?.taken === true;
}

/** @returns the last beats, by id, of the nodes that were silent since then. */
export async function deleteSilentNodes(queries: Queries, silentSince: Date): Promise<Map<string, Date>> {
  const rows = await queries
    .delete(nodes)
    .where(lt(nodes.beatAt, silentSince))
    .returning({ id: nodes.id, beatAt: nodes.beatAt });
  return new Map(rows.map(({ id, beatAt }) => [id, beatAt]));
}

/** Returns the last beats of all nodes, by id. */
export async function listLastBeats(queries: Queries): Promise<Map<string, Date>> {
  const rows = await queries.select({ id: nodes.id, beatAt: nodes.beatAt }).from(nodes);
  return new Map(rows.map(({ id, beatAt }) => [id, beatAt]));
}

/** All nodes, in the order of their starts. */
export async function listNodes(queries: Queries): Promise<NodeRow[]> {
  return await queries.select().from(nodes).orderBy(asc(nodes.startedAt), asc(nodes.id));
}

/** Returns the last beats of nodes that take calls and have not been silent since then. */
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
 * Returns the HTTP origin of a node; `undefined` if the node is lost or the address is the asking node's own.
 * A node that ended without removing itself may have had the asking node's address.
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

/** Returns the node with the most free capacity that has beaten since then; `undefined` if none has any. */
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
