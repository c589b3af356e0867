import {
  checkSipTrunkRoute,
  createSipTrunkRoute,
  deleteSipTrunkRoute,
  getSipTrunkRoute,
  listSipTrunksRoute,
  updateSipTrunkRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { SipTrunksService } from "./sip-trunks.service.ts";
import type { TrunkChecksService } from "./trunk-checks.service.ts";

export function bindSipTrunkRoutes(
  app: FastifyInstance,
  sipTrunks: SipTrunksService,
  checks: TrunkChecksService,
): void {
  bindRoute(app, createSipTrunkRoute, async ({ principal, body }) => ({
    data: await sipTrunks.create(principal.organizationId, body),
  }));
  bindRoute(app, listSipTrunksRoute, async ({ principal, query }) => {
    return await sipTrunks.list(principal.organizationId, query);
  });
  bindRoute(app, getSipTrunkRoute, async ({ principal, params }) => ({
    data: await sipTrunks.get(principal.organizationId, params.id),
  }));
  bindRoute(app, updateSipTrunkRoute, async ({ principal, params, body }) => ({
    data: await sipTrunks.update(principal.organizationId, params.id, body),
  }));
  bindRoute(app, deleteSipTrunkRoute, async ({ principal, params, query }) => {
    await sipTrunks.delete(principal, params.id, { isForced: query.force ?? false });
    return { data: { id: params.id, deleted: true as const } };
  });
  bindRoute(
    app,
    checkSipTrunkRoute,
    async ({ principal, params }) => ({ data: await checks.check(principal.organizationId, params.id) }),
    { isRemote: true },
  );
}
