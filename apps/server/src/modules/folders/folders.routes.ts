import {
  createFolderRoute,
  deleteFolderRoute,
  getFolderRoute,
  listFoldersRoute,
  updateFolderRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { FoldersService } from "./folders.service.ts";

export function bindFolderRoutes(app: FastifyInstance, folders: FoldersService): void {
  bindRoute(app, createFolderRoute, async ({ principal, body }) => ({
    data: await folders.create(principal.organizationId, body),
  }));
  bindRoute(app, listFoldersRoute, async ({ principal, query }) => {
    return await folders.list(principal.organizationId, query);
  });
  bindRoute(app, getFolderRoute, async ({ principal, params }) => ({
    data: await folders.get(principal.organizationId, params.id),
  }));
  bindRoute(app, updateFolderRoute, async ({ principal, params, body }) => ({
    data: await folders.update(principal.organizationId, params.id, body),
  }));
  bindRoute(app, deleteFolderRoute, async ({ principal, params }) => {
    await folders.delete(principal, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
