import {
  checkMessagingConnectionRoute,
  createMessagingConnectionRoute,
  deleteMessagingConnectionRoute,
  getMessagingConnectionRoute,
  listMessagingConnectionsRoute,
  updateMessagingConnectionRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { MessagingConnectionsService } from "./messaging-connections.service.ts";

/** Verification waits for the provider, and must not occupy a transaction. */
const remote = { isRemote: true };

export function bindMessagingConnectionRoutes(
  app: FastifyInstance,
  connections: MessagingConnectionsService,
): void {
  bindRoute(
    app,
    createMessagingConnectionRoute,
    async ({ principal, body }) => ({ data: await connections.create(principal.organizationId, body) }),
    remote,
  );
  bindRoute(app, listMessagingConnectionsRoute, async ({ principal, query }) => {
    return await connections.list(principal.organizationId, query);
  });
  bindRoute(app, getMessagingConnectionRoute, async ({ principal, params }) => ({
    data: await connections.get(principal.organizationId, params.id),
  }));
  bindRoute(
    app,
    updateMessagingConnectionRoute,
    async ({ principal, params, body }) => ({
      data: await connections.update(principal.organizationId, params.id, body),
    }),
    remote,
  );
  bindRoute(app, deleteMessagingConnectionRoute, async ({ principal, params }) => {
    await connections.delete(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
  bindRoute(
    app,
    checkMessagingConnectionRoute,
    async ({ principal, params }) => ({ data: await connections.check(principal.organizationId, params.id) }),
    remote,
  );
}
