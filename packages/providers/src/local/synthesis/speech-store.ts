import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import type { SpokenClause } from "./clause-cache.ts";

export interface SpeechStoreOptions {
  /** Created if absent. Several processes may share it. */
  folder: string;
  /** Size beyond which the least recently used clauses are deleted. */
  maxBytes: number;
}

const KEPT_FILE = /^[0-9a-f]{64}\.speech$/;
const UNFINISHED_FILE = /^[0-9a-f]{64}\.[0-9a-f-]{36}\.part$/;
const UNFINISHED_MS = 3_600_000;
const HASH_BYTES = 32;
const HEADER_BYTES = HASH_BYTES + 4;

/**
 * Clauses on disk, one file each: SHA-256 of the rest, length of the description, the description as JSON, then samples
 * as 16-bit little-endian. A file gets its name once it is complete; a damaged one is deleted when read.
 */
export class SpeechStore {
  readonly #options: SpeechStoreOptions;
  /** Sizes of the known files by name, least recently used first. */
  readonly #files = new Map<string, number>();
  #bytes = 0;

  private constructor(options: SpeechStoreOptions) {
    this.#options = options;
  }

  /** Rejects if the folder cannot be used. */
  static async open(options: SpeechStoreOptions): Promise<SpeechStore> {
    const store = new SpeechStore(options);
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    await store.#list();
    await store.#evict();
    return store;
  }

  has(key: string): boolean {
    return this.#files.has(nameOf(key));
  }

  /** `undefined` if the clause is not stored or its file is damaged. */
  async get(key: string): Promise<SpokenClause | undefined> {
    const name = nameOf(key);
    const size = this.#files.get(name);
    if (size === undefined) return undefined;
    const location = path.join(this.#options.folder, name);
    const clause = parse(await readFile(location).catch(() => undefined));
    this.#forget(name);
    if (clause === undefined) {
      await rm(location, { force: true });
      return undefined;
    }
    this.#note(name, size);
    const now = new Date();
    // Affects only the order of deletion after the next start.
    await utimes(location, now, now).catch(() => undefined);
    return clause;
  }

  /** Rejects if the file cannot be written. */
  async set(key: string, clause: SpokenClause): Promise<void> {
    const name = nameOf(key);
    const bytes = serialize(clause);
    if (bytes.length > this.#options.maxBytes) return;
    const { folder } = this.#options;
    const unfinished = path.join(folder, `${name.slice(0, 64)}.${randomUUID()}.part`);
    try {
      const file = await open(unfinished, "wx", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path.join(folder, name));
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw error;
    }
    this.#forget(name);
    this.#note(name, bytes.length);
    await this.#evict();
  }

  async #list(): Promise<void> {
    const { folder } = this.#options;
    const found: { name: string; size: number; usedMs: number }[] = [];
    for (const name of await readdir(folder)) {
      const location = path.join(folder, name);
      const isKept = KEPT_FILE.test(name);
      if (!isKept && !UNFINISHED_FILE.test(name)) continue;
      const stats = await stat(location).catch(() => undefined);
      if (stats === undefined) continue;
      if (isKept) found.push({ name, size: stats.size, usedMs: stats.mtimeMs });
      else if (Date.now() - stats.mtimeMs > UNFINISHED_MS) await rm(location, { force: true });
    }
    found.sort((a, b) => a.usedMs - b.usedMs);
    for (const { name, size } of found) this.#note(name, size);
  }

  async #evict(): Promise<void> {
    for (const name of this.#files.keys()) {
      if (this.#bytes <= this.#options.maxBytes) return;
      this.#forget(name);
      await rm(path.join(this.#options.folder, name), { force: true });
    }
  }

  #note(name: string, bytes: number): void {
    this.#files.set(name, bytes);
    this.#bytes += bytes;
  }

  #forget(name: string): void {
    this.#bytes -= this.#files.get(name) ?? 0;
    this.#files.delete(name);
  }
}

function nameOf(key: string): string {
  return `${createHash("sha256").update(key).digest("hex")}.speech`;
}

function serialize({ pcm, words }: SpokenClause): Buffer {
  const description = Buffer.from(JSON.stringify({ words }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(description.length);
  const samples = Buffer.alloc(pcm.length * 2);
  for (const [at, sample] of pcm.entries()) samples.writeInt16LE(sample, at * 2);
  const content = Buffer.concat([length, description, samples]);
  return Buffer.concat([createHash("sha256").update(content).digest(), content]);
}

function parse(bytes: Buffer | undefined): SpokenClause | undefined {
  if (bytes === undefined || bytes.length < HEADER_BYTES) return undefined;
  const content = bytes.subarray(HASH_BYTES);
  if (!createHash("sha256").update(content).digest().equals(bytes.subarray(0, HASH_BYTES))) return undefined;
  const samplesAt = 4 + content.readUInt32LE(0);
  // Content with the right hash was written by `serialize`.
  const { words } = JSON.parse(content.toString("utf8", 4, samplesAt)) as Pick<SpokenClause, "words">;
  const pcm = new Int16Array((content.length - samplesAt) / 2);
  for (let at = 0; at < pcm.length; at += 1) pcm[at] = content.readInt16LE(samplesAt + at * 2);
  return { pcm, words };
}
