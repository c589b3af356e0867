import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorMessage } from "@parley/conversation/error-message";
import type { Config } from "../../platform/config/config.ts";
import { openStorage } from "../../platform/object-storage/open-storage.ts";
import { type Check, failed, ok } from "../finding.ts";

/** Written over at each run: the storage deletes nothing. */
const PROBE_KEY = "doctor/write-test.txt";

/** Whether recordings can be stored. */
export function objectStorageCheck({ objectStorage }: Pick<Config, "objectStorage">): Check {
  const where =
    objectStorage.type === "s3"
      ? `bucket ${objectStorage.bucket} at ${objectStorage.endpoint}`
      : objectStorage.folder;
  return {
    name: "object storage",
    run: async (signal) => {
      const storage = openStorage(objectStorage, { signingKeys: [Buffer.alloc(32)], origin: () => "" });
      const folder = await mkdtemp(path.join(tmpdir(), "parley-doctor-"));
      try {
        const file = path.join(folder, "write-test.txt");
        await writeFile(file, "Written by npm run doctor.\n");
        await storage.putFile(PROBE_KEY, file, signal);
        await storage.delete(PROBE_KEY, signal);
        return ok(`Recordings can be stored and deleted in ${where}.`);
      } catch (error) {
        const reason = errorMessage(error);
        const variables =
          objectStorage.type === "s3"
            ? "PARLEY_OBJECT_STORAGE_ENDPOINT, _REGION, _BUCKET and the access key"
            : "PARLEY_OBJECT_STORAGE_FOLDER and its permissions";
        return failed(
          `Recordings cannot be stored and deleted in ${where}: ${reason}.`,
          `Check ${variables}.`,
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
