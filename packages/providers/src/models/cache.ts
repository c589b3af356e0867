import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelFile } from "./catalog.ts";

/** Default cache folder: `PARLEY_MODELS_DIR`, or `parley/models` in the user's cache folder, which all clones share. */
export function defaultModelsDir(env: NodeJS.ProcessEnv = process.env): string {
  if (env["PARLEY_MODELS_DIR"]) return path.resolve(env["PARLEY_MODELS_DIR"]);
  const cache =
    env["XDG_CACHE_HOME"] ||
    (process.platform === "win32" && env["LOCALAPPDATA"]) ||
    path.join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
  return path.join(cache, "parley", "models");
}

/** Describes how a file's bytes differ from the catalog; `undefined` if they match. */
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

const verifiedRecordPath = (location: string): string => `${location}.verified`;

/**
 * Records that a file was hashed and found correct, by its size and modification time. Without it every start would
 * spend a second on hashing.
 */
async function recordVerified(location: string, file: ModelFile): Promise<void> {
  const { size, mtimeMs } = await stat(location);
  const temporary = `${verifiedRecordPath(location)}.${process.pid}`;
  await writeFile(temporary, JSON.stringify({ sha256: file.sha256, size, mtimeMs }));
  await rename(temporary, verifiedRecordPath(location));
}

async function isRecorded(
  location: string,
  file: ModelFile,
  size: number,
  mtimeMs: number,
): Promise<boolean> {
  const record = await unlessMissing(readFile(verifiedRecordPath(location), "utf8"));
  return record === JSON.stringify({ sha256: file.sha256, size, mtimeMs });
}

/**
 * Whether the cache has the file with the correct bytes. A file placed there by hand is hashed once; `mustHash` hashes
 * in any case.
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

/** Moves verified bytes to their place atomically: readers of the cache see the whole file or none. */
export async function placeInCache(temporary: string, modelsDir: string, file: ModelFile): Promise<void> {
  const location = path.join(modelsDir, file.path);
  await mkdir(path.dirname(location), { recursive: true });
  await rename(temporary, location);
  await recordVerified(location, file);
}

const LOCK_HEARTBEAT_INTERVAL_MS = 5000;
const LOCK_STALE_AFTER_MS = 30_000;
const LOCK_POLL_INTERVAL_MS = 250;
const MAX_LOCK_WAIT_MS = 30 * 60_000;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists, under another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Whether the lock's holder was killed, or runs on another machine and no longer touches the lock. */
async function isAbandoned(lock: string): Promise<boolean> {
  const held = await unlessMissing(stat(lock));
  const pid = Number(await unlessMissing(readFile(lock, "utf8")));
  if (held === undefined) return false;
  return Date.now() - held.mtimeMs > LOCK_STALE_AFTER_MS || (pid > 0 && !isAlive(pid));
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
 * Lets one process at a time fetch into a cache, so that processes started together download once. It only saves work:
 * files are placed atomically, so two holders (one believed dead) do no harm.
 */
export async function withCacheLock(
  modelsDir: string,
  options: { signal?: AbortSignal | undefined; onWait: () => void },
  work: () => Promise<void>,
): Promise<void> {
  await mkdir(modelsDir, { recursive: true });
  const lock = path.join(modelsDir, ".lock");
  const giveUpAt = Date.now() + MAX_LOCK_WAIT_MS;
  for (let attempt = 0; !(await tryLock(lock)); attempt += 1) {
    if (attempt === 0) options.onWait();
    if (Date.now() > giveUpAt) throw new Error(`another process holds ${lock}`);
    await delay(
      LOCK_POLL_INTERVAL_MS,
      undefined,
      options.signal === undefined ? {} : { signal: options.signal },
    );
  }
  const beat = setInterval(() => {
    const now = new Date();
    // The lock is gone if another process believed this one dead; see above.
    utimes(lock, now, now).catch(() => undefined);
  }, LOCK_HEARTBEAT_INTERVAL_MS);
  try {
    await work();
  } finally {
    clearInterval(beat);
    await rm(lock, { force: true });
  }
}
