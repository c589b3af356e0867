import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelFile } from "./catalogue.ts";

/** `PARLEY_MODELS_DIR`, else `parley/models` in the user's cache folder, where all clones share it. */
export function defaultModelsDir(env: NodeJS.ProcessEnv = process.env): string {
  if (env["PARLEY_MODELS_DIR"]) return path.resolve(env["PARLEY_MODELS_DIR"]);
  const cache =
    env["XDG_CACHE_HOME"] ||
    (process.platform === "win32" && env["LOCALAPPDATA"]) ||
    path.join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
  return path.join(cache, "parley", "models");
}

/** What is wrong with a file's bytes; undefined when they are those of the catalogue. */
export async function findMismatch(location: string, expected: ModelFile): Promise<string | undefined> {
  const { size } = await stat(location);
  if (size !== expected.bytes) return `${size} bytes, expected ${expected.bytes}`;
  const hash = createHash("sha256");
  await pipeline(createReadStream(location, { highWaterMark: 1 << 20 }), hash);
  const sha256 = hash.digest("hex");
  return sha256 === expected.sha256 ? undefined : `SHA-256 ${sha256}, expected ${expected.sha256}`;
}

async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

const recordOf = (location: string): string => `${location}.verified`;

/**
 * Remembers that a file was hashed and found right, by its size and modification time: starts would otherwise
 * spend a second on hashing.
 */
async function recordVerified(location: string, file: ModelFile): Promise<void> {
  const { size, mtimeMs } = await stat(location);
  const temporary = `${recordOf(location)}.${process.pid}`;
  await writeFile(temporary, JSON.stringify({ sha256: file.sha256, size, mtimeMs }));
  await rename(temporary, recordOf(location));
}

async function isRecorded(
  location: string,
  file: ModelFile,
  size: number,
  mtimeMs: number,
): Promise<boolean> {
  const record = await unlessMissing(readFile(recordOf(location), "utf8"));
  return record === JSON.stringify({ sha256: file.sha256, size, mtimeMs });
}

/**
 * Whether the cache holds the file with the right bytes. A file that somebody put there by hand is hashed once;
 * `mustHash` hashes in any case.
 */
export async function isCached(modelsDir: string, file: ModelFile, mustHash: boolean): Promise<boolean> {
  const location = path.join(modelsDir, file.path);
  const stats = await unlessMissing(stat(location));
  if (stats === undefined) return false;
  if (!mustHash && (await isRecorded(location, file, stats.size, stats.mtimeMs))) return true;
  if ((await findMismatch(location, file)) !== undefined) return false;
  await recordVerified(location, file);
  return true;
}

/** Moves verified bytes to their place; whoever reads the cache sees the whole file or none. */
export async function placeInCache(temporary: string, modelsDir: string, file: ModelFile): Promise<void> {
  const location = path.join(modelsDir, file.path);
  await mkdir(path.dirname(location), { recursive: true });
  await rename(temporary, location);
  await recordVerified(location, file);
}

const lockBeatMs = 5000;
const lockStaleMs = 30_000;
const lockPollMs = 250;
const lockWaitMs = 30 * 60_000;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, under another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A holder that was killed, or one on another machine that no longer touches its lock. */
async function isAbandoned(lock: string): Promise<boolean> {
  const held = await unlessMissing(stat(lock));
  const pid = Number(await unlessMissing(readFile(lock, "utf8")));
  if (held === undefined) return false;
  return Date.now() - held.mtimeMs > lockStaleMs || (pid > 0 && !isAlive(pid));
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  if (await isAbandoned(lock)) await rm(lock, { force: true });
  return false;
}

/**
 * Lets one process at a time fetch into a cache, so that several started together download once. It only saves
 * work: files are placed atomically, so two holders (one thought dead) do no harm.
 */
export async function withCacheLock(
  modelsDir: string,
  options: { signal?: AbortSignal | undefined; onWait: () => void },
  work: () => Promise<void>,
): Promise<void> {
  await mkdir(modelsDir, { recursive: true });
  const lock = path.join(modelsDir, ".lock");
  const giveUpAt = Date.now() + lockWaitMs;
  for (let attempt = 0; !(await tryLock(lock)); attempt += 1) {
    if (attempt === 0) options.onWait();
    if (Date.now() > giveUpAt) throw new Error(`another process holds ${lock}`);
    await delay(lockPollMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
  const beat = setInterval(() => {
    const now = new Date();
    // A lock that is gone was taken by a process that thought this one dead; see above.
    utimes(lock, now, now).catch(() => undefined);
  }, lockBeatMs);
  try {
    await work();
  } finally {
    clearInterval(beat);
    await rm(lock, { force: true });
  }
}
