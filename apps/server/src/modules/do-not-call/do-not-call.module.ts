import type { Feature, NodeResources } from "../feature.ts";
import { bindDoNotCallRoutes } from "./do-not-call.routes.ts";
import { DoNotCallService } from "./do-not-call.service.ts";

export function createDoNotCall({ database, clock }: NodeResources) {
  const doNotCall = new DoNotCallService(database, clock);
  return {
    services: { doNotCall },
    bindRoutes: (app) => bindDoNotCallRoutes(app, doNotCall),
  } satisfies Feature;
}
