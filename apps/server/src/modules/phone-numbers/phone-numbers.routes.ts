import {
  addPhoneNumberRoute,
  deletePhoneNumberRoute,
  deleteUnboundPhoneNumberRoute,
  getPhoneNumberRoute,
  listAgentPhoneNumbersRoute,
  listPhoneNumbersRoute,
  updatePhoneNumberRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { PhoneNumbersService } from "./phone-numbers.service.ts";

export function bindPhoneNumberRoutes(app: FastifyInstance, phoneNumbers: PhoneNumbersService): void {
  bindRoute(app, addPhoneNumberRoute, async ({ principal, params, body }) => ({
    data: await phoneNumbers.add(principal, params.id, body),
  }));
  bindRoute(app, listAgentPhoneNumbersRoute, async ({ principal, params, query }) => {
    return await phoneNumbers.listOfAgent(principal.organizationId, params.id, query);
  });
  bindRoute(app, updatePhoneNumberRoute, async ({ principal, params, body }) => ({
    data: await phoneNumbers.update(principal, params.id, params.phoneId, body),
  }));
  bindRoute(app, deletePhoneNumberRoute, async ({ principal, params }) => {
    await phoneNumbers.delete(principal, params.id, params.phoneId);
    return { data: { id: params.phoneId, deleted: true as const } };
  });
  bindRoute(app, deleteUnboundPhoneNumberRoute, async ({ principal, params }) => {
    await phoneNumbers.deleteUnbound(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
  bindRoute(app, getPhoneNumberRoute, async ({ principal, params }) => ({
    data: await phoneNumbers.get(principal.organizationId, params.id),
  }));
  bindRoute(app, listPhoneNumbersRoute, async ({ principal, query }) => {
    return await phoneNumbers.list(principal.organizationId, query);
  });
}
