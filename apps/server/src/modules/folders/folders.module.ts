import type { Feature, NodeResources } from "../feature.ts";
import { bindFolderRoutes } from "./folders.routes.ts";
import { FoldersService } from "./folders.service.ts";

export function createFolders({ database }: NodeResources) {
  const folders = new FoldersService(database);
  return {
    services: { folders },
    bindRoutes: (app) => bindFolderRoutes(app, folders),
  } satisfies Feature;
}
