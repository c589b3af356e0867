import type { Feature, NodeResources } from "../feature.ts";
import type { SipTrunksService } from "./sip-trunks.service.ts";
import { TrunkMonitorPool } from "./trunk-monitor-pool.ts";

/** Separate from the trunks' module because it closes first when the node ends, so that carriers send no more calls. */
export function createTrunkMonitors(
  { nodeId, database, sip, clock, logger }: NodeResources,
  { sipTrunks }: { sipTrunks: SipTrunksService },
) {
  let monitors: TrunkMonitorPool | undefined;
  return {
    services: {},
    start: () => {
      const { agent } = sip;
      monitors = new TrunkMonitorPool({
        nodeId,
        database,
        sipTrunks,
        agent,
        clock,
        logger,
      });
    },
    drain: async () => await monitors?.close(),
  } satisfies Feature;
}
