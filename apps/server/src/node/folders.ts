import { readFreeBytes } from "../platform/machine/free-space.ts";
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

/** The database needs more than this to start and to write its first records. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** Like `requireWritableFolders`, for one folder. */
export async function requireWritable(folder: string, variable: string): Promise<void> {
  let freeBytes: number;
  try {
    await tryWriting(folder);
    freeBytes = await readFreeBytes(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOSPC") throw fullDisk(folder, variable, 0);
    throw new Error(
      `the folder ${folder} cannot be written (${code}): set ${variable} to a folder that this user can write`,
      { cause: error },
    );
  }
  if (freeBytes < MIN_FREE_BYTES) throw fullDisk(folder, variable, freeBytes);
}

function fullDisk(folder: string, variable: string, freeBytes: number): Error {
  const freeMb = Math.floor(freeBytes / (1024 * 1024));
  return new Error(
    `the disk of ${folder} is full (${freeMb} MB are free, ${MIN_FREE_BYTES / (1024 * 1024)} MB are needed): ` +
      `free some space, or set ${variable} to a folder on another disk`,
  );
}
