import type { SipTrunkHealth } from "@parley/contract";
import { and, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { SipTrunkRow } from "./sip-trunks.store.ts";
import { sipTrunks, sipTrunkMonitors } from "./sip-trunks.tables.ts";

/** Lists every trunk that accepts outbound calls. */
export async function listReachableTrunks(queries: Queries): Promise<SipTrunkRow[]> {
  return await queries.select().from(sipTrunks).where(isNotNull(sipTrunks.proxyAddress));
}

/** Limits a statement's parameters, of which PostgreSQL accepts 65,535, and the time that it locks trunks. */
const TRUNKS_PER_STATEMENT = 1_000;

interface LeaseRequest {
  trunkIds: readonly string[];
  nodeId: string;
  now: Date;
  leaseUntil: Date;
}

/**
 * Acquires or renews the leases on those of the trunks that no other node monitors.
 *
 * @returns the ids of the trunks that this node monitors until `leaseUntil`.
 */
export async function takeWatches(
  database: Database,
  { trunkIds, ...lease }: LeaseRequest,
): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let start = 0; start < trunkIds.length; start += TRUNKS_PER_STATEMENT) {
    const some = trunkIds.slice(start, start + TRUNKS_PER_STATEMENT);
    for (const id of await takeSomeWatches(database, { ...lease, trunkIds: some })) taken.add(id);
  }
  return taken;
}

async function takeSomeWatches(
  database: Database,
  { trunkIds, nodeId, now, leaseUntil }: LeaseRequest,
): Promise<string[]> {
  return await database.transaction(async (transaction) => {
    // Skips trunks that are being deleted. The consistent order prevents deadlocks between nodes.
    const existing = await transaction
      .select({ id: sipTrunks.id })
      .from(sipTrunks)
      .where(inArray(sipTrunks.id, [...trunkIds]))
      .orderBy(sipTrunks.id)
      .for("key share");
    if (existing.length === 0) return [];
    const taken = await transaction
      .insert(sipTrunkMonitors)
      .values(existing.map(({ id }) => ({ sipTrunkId: id, nodeId, leaseUntil })))
      .onConflictDoUpdate({
        target: sipTrunkMonitors.sipTrunkId,
        set: { nodeId, leaseUntil },
        setWhere: sql`${sipTrunkMonitors.nodeId} = ${nodeId} or ${sipTrunkMonitors.leaseUntil} <= ${now.toISOString()}`,
      })
      .returning({ id: sipTrunkMonitors.sipTrunkId });
    return taken.map(({ id }) => id);
  });
}

/** Observed state of a monitored trunk. */
export interface SeenTrunk {
  health: SipTrunkHealth;
  serviceRoutes: string[];
}

/** Stores the observed state of a trunk. Has no effect if this node no longer monitors it. */
export async function writeSeen(
  queries: Queries,
  nodeId: string,
  sipTrunkId: string,
  { health, serviceRoutes }: SeenTrunk,
): Promise<void> {
  await queries
    .update(sipTrunkMonitors)
    .set({ health, serviceRoutes })
    .where(and(eq(sipTrunkMonitors.sipTrunkId, sipTrunkId), eq(sipTrunkMonitors.nodeId, nodeId)));
}

/** Releases all leases of a node, so that other nodes can take over at once. */
export async function releaseWatches(queries: Queries, nodeId: string): Promise<void> {
  await queries.delete(sipTrunkMonitors).where(eq(sipTrunkMonitors.nodeId, nodeId));
}

/** Observed health of those of the trunks that a node monitors now. */
export async function findHealth(
  queries: Queries,
  trunkIds: readonly string[],
  now: Date,
): Promise<Map<string, SipTrunkHealth>> {
  const rows = await queries
    .select({ id: sipTrunkMonitors.sipTrunkId, health: sipTrunkMonitors.health })
    .from(sipTrunkMonitors)
    .where(and(inArray(sipTrunkMonitors.sipTrunkId, [...trunkIds]), gt(sipTrunkMonitors.leaseUntil, now)));
  return new Map(rows.flatMap(({ id, health }) => (health === null ? [] : [[id, health] as const])));
}

/** Service routes of the current registration (RFC 3608); empty if no node is registered. */
export async function findServiceRoutes(queries: Queries, trunkId: string, now: Date): Promise<string[]> {
  const [row] = await queries
    .select({ serviceRoutes: sipTrunkMonitors.serviceRoutes })
    .from(sipTrunkMonitors)
    .where(and(eq(sipTrunkMonitors.sipTrunkId, trunkId), gt(sipTrunkMonitors.leaseUntil, now)));
  return row?.serviceRoutes ?? [];
}
