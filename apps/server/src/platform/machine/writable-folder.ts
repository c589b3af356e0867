import { mkdir, mkdtemp, rmdir } from "node:fs/promises";
import path from "node:path";

/** Creates a folder if it is missing, and a temporary one in it. Rejects with the error of the system if it cannot be written. */
export async function tryWriting(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rmdir(await mkdtemp(path.join(folder, ".write-check-")));
}
