import { spawn } from "node:child_process";
import { readFile, open, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { CLUSTER_ROLE, type Cluster, processOptions } from "./postgres-cluster.ts";

/** Recovery after a crash first reads the write-ahead log. */
const START_DEADLINE_MS = 60_000;
const CONNECT_DEADLINE_MS = 3_000;
const FAST_SHUTDOWN_DEADLINE_MS = 10_000;
const POLL_INTERVAL_MS = 20;
const MAX_LOG_BYTES = 1024 * 1024;

const settings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // The kernel caches the files of such a small database anyway, and each process counts the pages of this buffer that
  // it touches again.
  shared_buffers: "8MB",
  // Uses no separate reader processes.
  io_method: "sync",
  jit: "off",
  timezone: "UTC",
  // Without replication, less is written to the log that every commit waits for.
  wal_level: "minimal",
  max_wal_senders: "0",
  log_min_messages: "warning",
};

/** For tests: a power failure may lose all data. */
const volatileSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

export interface ServerOptions {
  /** Default 60, enough for one node. */
  maxConnections?: number;
  /** Defaults to any free port. */
  port?: number;
}

/** A PostgreSQL server process of a cluster. */
export interface RunningServer {
  pid: number;
  port: number;
}

/** The running server of our directory, ready for connections; `undefined` if there is none. */
export async function findRunningServer(cluster: Cluster): Promise<RunningServer | undefined> {
  const pidFile = path.join(cluster.directory, "postmaster.pid");
  const deadline = performance.now() + START_DEADLINE_MS;
  while (performance.now() < deadline) {
    const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
    const server = { pid: Number(lines[0]), port: Number(lines[3]) };
    if (!(server.pid > 0)) return undefined;
    if (!(await isPostgresRunning(server.pid))) {
      // Left by a server that was killed. PostgreSQL removes it itself unless its process id has been reused.
      await rm(pidFile, { force: true });
      return undefined;
    }
    // The password belongs to this directory alone: a server that accepts it is ours.
    if (server.port > 0 && (await isAccepting(cluster, server))) return server;
    await sleep(POLL_INTERVAL_MS);
  }
  throw new Error(
    `a PostgreSQL server uses ${cluster.directory} but does not answer: see ${cluster.logFile}`,
  );
}

/** Whether this process exists and is PostgreSQL: the id of an ended process may have been reused. */
async function isPostgresRunning(pid: number): Promise<boolean> {
  if (process.platform === "linux") {
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // A zombie has ended; in a container it may never be reaped.
    return /\(postgres\) [^ZX]/.test(status);
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isAccepting(cluster: Cluster, server: RunningServer): Promise<boolean> {
  const client = connect(cluster, server);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** `undefined` if the server ended before it was ready, e.g. because its port was taken meanwhile. */
export async function startServer(
  cluster: Cluster,
  { maxConnections = 60, port: wantedPort }: ServerOptions,
): Promise<RunningServer | undefined> {
  const port = wantedPort ?? (await findFreePort());
  const max_connections = String(maxConnections);
  const chosen = { ...settings, max_connections, ...(cluster.isDurable ? {} : volatileSettings) };
  const log = await openLog(cluster.logFile);
  try {
    const child = spawn(
      path.join(cluster.binaries, "bin", "postgres"),
      [
        `-D${cluster.dataArgument}`,
        `-p${port}`,
        ...Object.entries(chosen).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      // Detached, so that Ctrl-C in a terminal does not end it before the last call record is written.
      { ...processOptions(cluster), stdio: ["ignore", log.fd, log.fd], detached: true },
    );
    let hasEnded = false;
    child.once("error", () => (hasEnded = true));
    child.once("exit", () => (hasEnded = true));
    child.unref();
    const deadline = performance.now() + START_DEADLINE_MS;
    while (performance.now() < deadline) {
      const server = { pid: child.pid ?? 0, port };
      if (await isAccepting(cluster, server)) return server;
      if (hasEnded) return undefined;
      await sleep(POLL_INTERVAL_MS);
    }
    child.kill("SIGQUIT");
    return undefined;
  } finally {
    await log.close();
  }
}

async function openLog(file: string) {
  const isLarge = await stat(file).then(
    ({ size }) => size > MAX_LOG_BYTES,
    () => false,
  );
  return await open(file, isLarge ? "w" : "a", 0o600);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}

export function connectionString(cluster: Cluster, server: RunningServer, database: string): string {
  return `postgres://${CLUSTER_ROLE}:${cluster.password}@127.0.0.1:${server.port}/${database}`;
}

export function connect(cluster: Cluster, server: RunningServer): Client {
  const client = new Client({
    connectionString: connectionString(cluster, server, "postgres"),
    connectionTimeoutMillis: CONNECT_DEADLINE_MS,
  });
  // The next query notices a lost server; without a listener the error would end the process.
  client.on("error", () => {});
  return client;
}

export async function stopServer({ pid }: RunningServer, owner: Client): Promise<void> {
  await owner.end().catch(() => {});
  // SIGINT: fast shutdown, which ends sessions and writes a checkpoint. SIGQUIT stops without one; the next start
  // recovers.
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (!(await isPostgresRunning(pid))) return;
    signalServer(pid, signal);
    const deadline = performance.now() + FAST_SHUTDOWN_DEADLINE_MS;
    while ((await isPostgresRunning(pid)) && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
  }
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended between the check and the signal.
  }
}
