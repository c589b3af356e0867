import { type Database, openDatabase } from "../../platform/database/database.ts";
import type { Queries } from "../../platform/database/database.ts";
import type { LostCalls } from "../calls/lost-calls.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { NodeHeartbeat, type NodeHeartbeatOptions } from "./node-heartbeat.ts";

/** A slower beat is better retried: other nodes consider a node lost after 10 s. */
const STATEMENT_DEADLINE_MS = 4_000;

interface Dependencies {
  lostCalls: LostCalls;
  /** The active calls of this node. */
  activeCalls: { size: number; ids: string[]; isDraining: boolean; endClosed: () => Promise<void> };
  callCommands: { deleteExpired: (transaction: Queries, now: Date) => Promise<void> };
}

interface HeartbeatResources extends NodeResources {
  clock: NodeHeartbeatOptions["clock"];
  /** Returns whether media processes and models can take calls. */
  isMediaReady: () => boolean;
  /** Returns the addresses of this node for other nodes, once it listens. */
  findAddresses: () => Promise<{ httpAddress: string; sipAddress: string }>;
}

/** Separate from the nodes module, which calls use, because it depends on the calls of this node. */
export function createHeartbeat(
  node: HeartbeatResources,
  { lostCalls, activeCalls, callCommands }: Dependencies,
) {
  let database: Database | undefined;
  let heartbeat: NodeHeartbeat | undefined;
  let isBeating = false;
  node.readiness.require(() => (isBeating ? [] : ["first heartbeat"]));
  node.readiness.require(() => (heartbeat?.isDatabaseAnswering === false ? ["database"] : []));
  return {
    services: {},
    prepare: async () => {
      const { nodeId, clock, storage, media, speechPlaces, isMediaReady, isEmbedded, logger } = node;
      database = await openDatabase(node.directUrl, {
        maxConnections: 1,
        statementDeadlineMs: STATEMENT_DEADLINE_MS,
      });
      heartbeat = new NodeHeartbeat({
        nodeId,
        database,
        clock,
        lostCalls,
        load: () => ({
          isDraining: activeCalls.isDraining,
          isReady: isMediaReady(),
          activeCalls: activeCalls.size,
          freePlaces: Math.min(media.freePlaces, speechPlaces.free),
        }),
        activeCallIds: () => activeCalls.ids,
        onSweep: async (transaction, now) => await callCommands.deleteExpired(transaction, now),
        onLost: async () => await activeCalls.endClosed(),
        logger,
      });
      if (!isEmbedded && !storage.isShared) await heartbeat.requireAlone();
    },
    start: async () => {
      await heartbeat?.start(await node.findAddresses());
      isBeating = true;
    },
    close: async () => {
      await heartbeat?.close();
      await database?.$client.end();
    },
  } satisfies Feature;
}
