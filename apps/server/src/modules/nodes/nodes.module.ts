import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { CallNodes } from "./call-nodes.ts";

export function createNodes({ database, clock }: NodeResources, { calls }: { calls: CallsService }) {
  return { services: { callNodes: new CallNodes(database, clock, calls) } } satisfies Feature;
}
