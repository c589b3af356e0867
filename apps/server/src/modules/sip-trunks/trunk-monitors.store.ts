import type { SipTrunkHealth } from "@parley/contract";
import { and, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { SipTrunkRow } from "./sip-trunks.store.ts";
import { sipTrunks, sipTrunkWatches } from "./sip-trunks.tables.ts";

/** Every trunk that calls can go to. */
export async function listReachableTrunks(queries: Queries): Promise<SipTrunkRow[]> {
  return await queries.select().from(sipTrunks).where(isNotNull(sipTrunks.proxyAddress));
}

/**
 * Takes or keeps the watch over those of the trunks that no other node watches over at this time.
 *
 * @returns the ids of those that are this node's until `leaseUntil`.
 */
export async function takeWatches(
  database: Database,
  { trunkIds, nodeId, now, leaseUntil }: { trunkIds: string[]; nodeId: string; now: Date; leaseUntil: Date },
): Promise<string[]> {
  if (trunkIds.length === 0) return [];
  return await database.transaction(async (transaction) => {
    // Those that are being deleted are left out; in one order, so that two nodes do not wait for each other.
    const existing = await transaction
      .select({ id: sipTrunks.id })
      .from(sipTrunks)
      .where(inArray(sipTrunks.id, trunkIds))
      .orderBy(sipTrunks.id)
      .for("key share");
    if (existing.length === 0) return [];
    const taken = await transaction
      .insert(sipTrunkWatches)
      .values(existing.map(({ id }) => ({ sipTrunkId: id, nodeId, leaseUntil })))
      .onConflictDoUpdate({
        target: sipTrunkWatches.sipTrunkId,
        set: { nodeId, leaseUntil },
        setWhere: sql`${sipTrunkWatches.nodeId} = ${nodeId} or ${sipTrunkWatches.leaseUntil} <= ${now.toISOString()}`,
      })
      .returning({ id: sipTrunkWatches.sipTrunkId });
    return taken.map(({ id }) => id);
  });
}

/** What is seen of a trunk that is watched over. */
export interface SeenTrunk {
  health: SipTrunkHealth;
  serviceRoutes: string[];
}

/** Says what the node sees of a trunk that it watches over; without effect where it no longer does. */
export async function writeSeen(
  queries: Queries,
  nodeId: string,
  sipTrunkId: string,
  { health, serviceRoutes }: SeenTrunk,
): Promise<void> {
  await queries
    .update(sipTrunkWatches)
    .set({ health, serviceRoutes })
    .where(and(eq(sipTrunkWatches.sipTrunkId, sipTrunkId), eq(sipTrunkWatches.nodeId, nodeId)));
}

/** Lets other nodes watch at once. */
export async function releaseWatches(
  queries: Queries,
  nodeId: string,
  trunkIds: readonly string[],
): Promise<void> {
  await queries
    .delete(sipTrunkWatches)
    .where(and(eq(sipTrunkWatches.nodeId, nodeId), inArray(sipTrunkWatches.sipTrunkId, [...trunkIds])));
}

/** What is seen of those of the trunks that a node watches over now. */
export async function findHealth(
  queries: Queries,
  trunkIds: readonly string[],
  now: Date,
): Promise<Map<string, SipTrunkHealth>> {
  const rows = await queries
    .select({ id: sipTrunkWatches.sipTrunkId, health: sipTrunkWatches.health })
    .from(sipTrunkWatches)
    .where(and(inArray(sipTrunkWatches.sipTrunkId, [...trunkIds]), gt(sipTrunkWatches.leaseUntil, now)));
  return new Map(rows.flatMap(({ id, health }) => (health === null ? [] : [[id, health] as const])));
}

/** Where calls go through by the registration that a node keeps up now; empty where none does. */
export async function findServiceRoutes(queries: Queries, trunkId: string, now: Date): Promise<string[]> {
  const [row] = await queries
    .select({ serviceRoutes: sipTrunkWatches.serviceRoutes })
    .from(sipTrunkWatches)
    .where(and(eq(sipTrunkWatches.sipTrunkId, trunkId), gt(sipTrunkWatches.leaseUntil, now)));
  return row?.serviceRoutes ?? [];
}
