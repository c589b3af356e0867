import { statfs } from "node:fs/promises";

/** Bytes that this process can still write to the disk of an existing folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
