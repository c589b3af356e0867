import type { Config } from "../platform/config/config.ts";
import { tryWriting } from "../platform/machine/writable-folder.ts";

/**
 * Creates the node's writable folders, and a temporary one in each.
 *
 * @throws Error for the operator that names the variable of a folder that cannot be written.
 */
export async function requireWritableFolders({
  dataDirectory,
  objectStorage,
}: Pick<Config, "dataDirectory" | "objectStorage">): Promise<void> {
  await requireWritable(dataDirectory, "PARLEY_DATA_DIR");
  if (objectStorage.type === "folder")
    await requireWritable(objectStorage.folder, "PARLEY_OBJECT_STORAGE_FOLDER");
}

/** Like `requireWritableFolders`, for one folder. */
export async function requireWritable(folder: string, variable: string): Promise<void> {
  try {
    await tryWriting(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Error(
      `the folder ${folder} cannot be written (${code}): set ${variable} to a folder that this user can write`,
      { cause: error },
    );
  }
}
