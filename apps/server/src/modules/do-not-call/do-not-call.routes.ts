import {
  addDoNotCallRoute,
  deleteDoNotCallRoute,
  exportDoNotCallRoute,
  getDoNotCallRoute,
  getDoNotCallSettingsRoute,
  importDoNotCallRoute,
  listDoNotCallRoute,
  updateDoNotCallSettingsRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { DoNotCallService } from "./do-not-call.service.ts";

export function bindDoNotCallRoutes(app: FastifyInstance, doNotCall: DoNotCallService): void {
  bindRoute(app, addDoNotCallRoute, async ({ principal, body }) => ({
    data: await doNotCall.add(principal.organizationId, body.phoneNumber),
  }));
  bindRoute(app, listDoNotCallRoute, async ({ principal, query }) => {
    return await doNotCall.list(principal.organizationId, query);
  });
  bindRoute(app, getDoNotCallRoute, async ({ principal, params }) => ({
    data: await doNotCall.get(principal.organizationId, params.id),
  }));
  bindRoute(app, deleteDoNotCallRoute, async ({ principal, params }) => {
    await doNotCall.delete(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
  bindRoute(app, importDoNotCallRoute, async ({ principal, body }) => ({
    data: await doNotCall.import(principal.organizationId, body.csv),
  }));
  bindRoute(app, exportDoNotCallRoute, async ({ principal }) => doNotCall.export(principal.organizationId));
  bindRoute(app, getDoNotCallSettingsRoute, async ({ principal }) => ({
    data: await doNotCall.getSettings(principal.organizationId),
  }));
  bindRoute(app, updateDoNotCallSettingsRoute, async ({ principal, body }) => ({
    data: await doNotCall.updateSettings(principal.organizationId, body),
  }));
}
