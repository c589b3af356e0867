import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFeatures } from "../../apps/server/src/node/features.ts";
import { createTestResources } from "../../apps/server/src/node/testing.ts";
import { ClosingStack } from "../../apps/server/src/platform/closing-stack.ts";
import { connectDatabase } from "../../apps/server/src/platform/database/connect.ts";
import { createLogger } from "../../apps/server/src/platform/logging/logging.ts";
import { FolderStorage } from "../../apps/server/src/platform/object-storage/folder-storage.ts";

/** A node's features on an embedded PostgreSQL and a folder, with an organization. */
export async function openPlatform() {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-bench-knowledge-"));
  const logger = createLogger({ level: "silent" });
  const dataDirectory = path.join(folder, "data");
  const connection = await connectDatabase(
    { dataDirectory, database: undefined, encryptionKeys: undefined },
    logger,
  );
  const { database, directUrl, encryption } = connection;
  const storage = new FolderStorage({
    folder: path.join(folder, "objects"),
    isShared: true,
    signingKeys: [],
    origin: () => "",
  });
  const features = createFeatures(createTestResources({ database, directUrl, encryption, storage }));
  const started = new ClosingStack();
  features.closeWith(started);
  const { services } = features;
  const { id: organizationId } = await services.organizations.ensure(database, "bench", "Bench");
  return {
    database,
    services,
    organizationId,
    close: async (): Promise<void> => {
      await started.close();
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type BenchPlatform = Awaited<ReturnType<typeof openPlatform>>;
