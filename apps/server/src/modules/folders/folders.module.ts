import type { Feature, NodeResources } from "../feature.ts";
import { bindFolderRoutes } from "./folders.routes.ts";
import { FoldersService } from "./folders.service.ts";

export function createFolders({ database, clock }: NodeResources) {
  const folders = new FoldersService(database, clock);
  return {
    services: { folders },
    bindRoutes: (app) => bindFolderRoutes(app, folders),
  } satisfies Feature;
}
