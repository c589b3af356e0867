import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { type PostgresUser, findPostgresUser } from "./postgres-user.ts";

export const CLUSTER_ROLE = "parley";
const INITDB_DEADLINE_MS = 60_000;

/** PostgreSQL data directory, with the data for running a server on it. */
export interface Cluster {
  directory: string;
  /** Data directory as passed to the server; see `openCluster`. */
  dataArgument: string;
  logFile: string;
  password: string;
  binaries: string;
  user: PostgresUser | undefined;
  isDurable: boolean;
}

/** Opens the cluster under `<parent>/postgres`, creating it if it does not exist. */
export async function openCluster(parent: string, isDurable: boolean): Promise<Cluster> {
  const dataDirectory = path.resolve(parent);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const user = await findPostgresUser();
  const directory = path.join(dataDirectory, "postgres");
  const cluster: Cluster = {
    directory,
    // The server's user may have no access to the parent folders (`/root`, a private temporary folder), so the server
    // is started in its directory and given that as a relative path.
    dataArgument: user === undefined || process.platform !== "linux" ? directory : "/proc/self/cwd",
    logFile: path.join(dataDirectory, "postgres.log"),
    password: "",
    binaries: await findPostgresBinaries(user !== undefined),
    user,
    isDurable,
  };
  const passwordFile = path.join(dataDirectory, "postgres.password");
  if (await isDirectory(directory)) {
    cluster.password = (await readFile(passwordFile, "utf8")).trim();
  } else {
    cluster.password = randomBytes(24).toString("base64url");
    await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
    await initialize(cluster);
  }
  return cluster;
}

async function isDirectory(directory: string): Promise<boolean> {
  return await stat(directory).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Runs `initdb` into a folder that is renamed to its final name when it is complete. */
async function initialize(cluster: Cluster): Promise<void> {
  const unfinished = `${cluster.directory}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const secrets = await mkdtemp(path.join(tmpdir(), "parley-initdb-"));
  const passwordFile = path.join(secrets, "password");
  try {
    await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
    if (cluster.user !== undefined) {
      for (const file of [unfinished, secrets, passwordFile])
        await chown(file, cluster.user.uid, cluster.user.gid);
    }
    const dataArgument = cluster.dataArgument === cluster.directory ? unfinished : cluster.dataArgument;
    await runInitdb({ ...cluster, directory: unfinished, dataArgument }, passwordFile);
  } finally {
    await rm(secrets, { recursive: true, force: true });
  }
  await rename(unfinished, cluster.directory);
}

async function runInitdb(cluster: Cluster, passwordFile: string): Promise<void> {
  const args = [
    `--pgdata=${cluster.dataArgument}`,
    `--username=${CLUSTER_ROLE}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    ...(cluster.isDurable ? [] : ["--no-sync"]),
  ];
  const child = spawn(path.join(cluster.binaries, "bin", "initdb"), args, {
    ...processOptions(cluster),
    stdio: ["ignore", "ignore", "pipe"],
    timeout: INITDB_DEADLINE_MS,
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`creating the embedded PostgreSQL failed: ${output.trim()}`);
}

/** Process options of the cluster's programs. */
export function processOptions(cluster: Cluster) {
  // Does not inherit our environment: it contains secrets, and PG* variables would change the server's behavior.
  const env = { LC_ALL: "C", PATH: process.env["PATH"] ?? "", TZ: "UTC" };
  return { cwd: cluster.directory, env, ...cluster.user };
}
