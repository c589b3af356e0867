import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { copyFile, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isObjectKey, type ObjectStorage } from "./object-storage.ts";

export interface FolderStorageOptions {
  folder: string;
  /** Whether all nodes share this folder. */
  isShared: boolean;
  /** Must be the same on all nodes. The first one signs. */
  signingKeys: readonly Buffer[];
  /** Origin of this node's HTTP server, read for each link. */
  origin: () => string;
}

/** Path of the HTTP server that serves objects. */
export const OBJECTS_PATH = "/files";

/** Folder of this machine, or one shared by all nodes. This node's HTTP server serves its files. */
export class FolderStorage implements ObjectStorage {
  readonly isShared: boolean;
  readonly #options: FolderStorageOptions;

  constructor(options: FolderStorageOptions) {
    this.#options = options;
    this.isShared = options.isShared;
  }

  async putFile(key: string, file: string, signal: AbortSignal): Promise<void> {
    const target = this.#pathOf(key);
    signal.throwIfAborted();
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    // Renamed to its final name only when it is complete and on the disk.
    const partial = `${target}.${randomUUID()}.partial`;
    try {
      await copyFile(file, partial);
      const handle = await open(partial, "r+");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  async read(key: string, signal: AbortSignal): Promise<Uint8Array> {
    return await readFile(this.#pathOf(key), { signal });
  }

  async delete(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await rm(this.#pathOf(key), { force: true });
  }

  async linkTo(key: string, expiresAt: Date): Promise<string> {
    const expires = String(Math.floor(expiresAt.getTime() / 1000));
    const [signingKey = Buffer.of()] = this.#options.signingKeys;
    const signature = sign(signingKey, key, expires).toString("base64url");
    return `${this.#options.origin()}${OBJECTS_PATH}/${key}?expires=${expires}&signature=${signature}`;
  }

  /** `undefined` if the link is not authentic or has expired. */
  openLink(key: string, expires: string, signature: string, now: Date): string | undefined {
    if (!isObjectKey(key) || Number(expires) * 1000 <= now.getTime()) return undefined;
    const given = Buffer.from(signature, "base64url");
    const isAuthentic = this.#options.signingKeys.some((signingKey) => {
      const expected = sign(signingKey, key, expires);
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    return isAuthentic ? this.#pathOf(key) : undefined;
  }

  #pathOf(key: string): string {
    if (!isObjectKey(key)) throw new Error(`"${key}" is no key of an object`);
    return path.join(this.#options.folder, ...key.split("/"));
  }
}

function sign(signingKey: Buffer, key: string, expires: string): Buffer {
  return createHmac("sha256", signingKey).update(`${key}\n${expires}`).digest();
}
