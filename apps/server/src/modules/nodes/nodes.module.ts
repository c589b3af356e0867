import { listNodesRoute } from "@parley/contract";
import { bindOperatorRoute } from "../../platform/http/bind-operator-route.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { CallNodes } from "./call-nodes.ts";

export function createNodes({ config, database, clock }: NodeResources, { calls }: { calls: CallsService }) {
  const callNodes = new CallNodes(database, clock, calls);
  return {
    services: { callNodes },
    bindRoutes: (app) =>
      bindOperatorRoute(app, listNodesRoute, config.operatorApiKey, async () => ({
        data: await callNodes.list(),
      })),
  } satisfies Feature;
}
