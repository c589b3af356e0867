import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { copyFile, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isObjectKey, type ObjectStorage } from "./object-storage.ts";

export interface FolderStorageOptions {
  folder: string;
  /** Whether all nodes have this folder. */
  isShared: boolean;
  /** The same on all nodes. */
  signingKey: Buffer;
  /** Where this node's HTTP server is reached; asked for each link. */
  origin: () => string;
}

/** Path of the HTTP server under which objects are fetched. */
export const OBJECTS_PATH = "/files";

/** A folder of this machine, or one that all nodes share; this node's HTTP server gives out what is in it. */
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
    // Under its name only once it is whole and on the disk.
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

  async linkTo(key: string, expiresAt: Date): Promise<string> {
    const expires = String(Math.floor(expiresAt.getTime() / 1000));
    const signature = this.#sign(key, expires).toString("base64url");
    return `${this.#options.origin()}${OBJECTS_PATH}/${key}?expires=${expires}&signature=${signature}`;
  }

  /** Undefined where the link was not made by us for this, or its time is over. */
  openLink(key: string, expires: string, signature: string, now: Date): string | undefined {
    if (!isObjectKey(key) || Number(expires) * 1000 <= now.getTime()) return undefined;
    const [expected, given] = [this.#sign(key, expires), Buffer.from(signature, "base64url")];
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    return this.#pathOf(key);
  }

  #sign(key: string, expires: string): Buffer {
    return createHmac("sha256", this.#options.signingKey).update(`${key}\n${expires}`).digest();
  }

  #pathOf(key: string): string {
    if (!isObjectKey(key)) throw new Error(`"${key}" is no key of an object`);
    return path.join(this.#options.folder, ...key.split("/"));
  }
}
