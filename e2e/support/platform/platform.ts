import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Parley } from "@parley/client/api";
import { freePort } from "@parley/testing";
import { startArguments } from "../../../tools/start-command.ts";
import { isRunning } from "./processes.ts";

const READY_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 30_000;
const POLL_INTERVAL_MS = 100;

export interface PlatformOptions {
  /** Added to the environment. A function gets the HTTP port. */
  env?: Readonly<Record<string, string>> | ((httpPort: number) => Readonly<Record<string, string>>);
  /** The port of a platform that is started again. Default: a free one. */
  httpPort?: number;
  /** Kept across restarts. Default: a temporary directory that is removed at the end. */
  dataDirectory?: string;
  /** If false, returns as soon as the HTTP server answers, without waiting for readiness. */
  isReadinessAwaited?: boolean;
  /** Program and arguments that run Node, for example `["taskset", "-c", "0"]`. */
  launcher?: readonly string[];
}

/** A whole platform in a process of its own, as an operator starts it. */
export class Platform {
  readonly httpPort: number;
  readonly sipPort: number;
  readonly apiKey: string;
  /** Repeats nothing: a request that fails fails the test. */
  readonly api: Parley;
  readonly process: ChildProcess;
  readonly dataDirectory: string;
  /** Its exit status or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly #isTemporary: boolean;
  #output = "";

  private constructor(parts: {
    httpPort: number;
    sipPort: number;
    apiKey: string;
    process: ChildProcess;
    dataDirectory: string;
    isTemporary: boolean;
  }) {
    this.httpPort = parts.httpPort;
    this.sipPort = parts.sipPort;
    this.apiKey = parts.apiKey;
    this.api = new Parley({ baseUrl: `${this.url}/v1`, apiKey: parts.apiKey, maxRetries: 0 });
    this.process = parts.process;
    this.dataDirectory = parts.dataDirectory;
    this.exited = new Promise((resolve) => {
      parts.process.once("exit", (code, signal) => resolve(signal ?? code ?? 1));
    });
    this.#isTemporary = parts.isTemporary;
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on("data", (chunk) => (this.#output += String(chunk)));
    }
  }

  static async start(options: PlatformOptions = {}): Promise<Platform> {
    const dataDirectory = options.dataDirectory ?? (await mkdtemp(path.join(tmpdir(), "parley-e2e-")));
    const httpPort = options.httpPort ?? (await freePort());
    const sipPort = await freePort();
    const apiKey = `parley_${"0".repeat(40)}`;
    const environment = {
      PARLEY_HTTP_PORT: String(httpPort),
      PARLEY_SIP_PORT: String(sipPort),
      PARLEY_DATA_DIR: dataDirectory,
      PARLEY_BOOTSTRAP_API_KEY: apiKey,
      PARLEY_PUBLIC_ADDRESS: "127.0.0.1",
      ...(typeof options.env === "function" ? options.env(httpPort) : options.env),
    };
    const child = spawnPlatform(environment, options.launcher);
    const isTemporary = options.dataDirectory === undefined;
    const platform = new Platform({ httpPort, sipPort, apiKey, process: child, dataDirectory, isTemporary });
    const probe = options.isReadinessAwaited === false ? "/healthz" : "/readyz";
    await platform.#waitFor(probe);
    return platform;
  }

  /** Its whole output, including logs. */
  get output(): string {
    return this.#output;
  }

  /** The last 8,000 characters of its output, for the message of a failed test. */
  get lastOutput(): string {
    return this.#output.slice(-8_000);
  }

  get url(): string {
    return `http://127.0.0.1:${this.httpPort}`;
  }

  /** Returns one value of `/metrics`; NaN if no metric has that name. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? Number.NaN);
  }

  /** Stops the platform as an operator does, and removes a temporary data directory. Idempotent. */
  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill("SIGTERM");
      const killer = setTimeout(() => this.process.kill("SIGKILL"), STOP_DEADLINE_MS);
      await this.exited;
      clearTimeout(killer);
    }
    await this.#stopDatabase();
    if (this.#isTemporary) await rm(this.dataDirectory, { recursive: true, force: true });
  }

  /** Stops the embedded PostgreSQL, which survives `kill -9` for the next start and would outlive the test. */
  async #stopDatabase(): Promise<void> {
    const pid = await this.databasePid();
    if (pid === undefined || !isRunning(pid)) return;
    process.kill(pid, "SIGINT");
    const deadline = performance.now() + STOP_DEADLINE_MS;
    while (isRunning(pid) && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
  }

  /** Returns the process id of its embedded PostgreSQL; `undefined` if none runs. */
  async databasePid(): Promise<number | undefined> {
    const pidFile = path.join(this.dataDirectory, "postgres", "postmaster.pid");
    const [firstLine] = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
    return firstLine === undefined || firstLine === "" ? undefined : Number(firstLine);
  }

  async #waitFor(route: string): Promise<void> {
    const deadline = performance.now() + READY_DEADLINE_MS;
    while (performance.now() < deadline) {
      if (this.process.exitCode !== null) throw new Error(`the platform ended at start:\n${this.#output}`);
      const response = await fetch(`${this.url}${route}`).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.status === 200) return;
      await sleep(POLL_INTERVAL_MS);
    }
    await this.stop();
    throw new Error(`the platform was not ready in ${READY_DEADLINE_MS} ms:\n${this.#output}`);
  }
}

/**
 * Starts a platform that must fail to start. Returns its exit status, its stderr, and the contents of its
 * data directory.
 */
export async function failToStart(
  env: Readonly<Record<string, string>>,
  launcher: readonly string[] = [],
): Promise<{ status: unknown; stderr: string; written: string[] }> {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-e2e-"));
  try {
    const ports = {
      PARLEY_HTTP_PORT: String(await freePort()),
      PARLEY_SIP_PORT: String(await freePort()),
    };
    const child = spawnPlatform({ ...ports, PARLEY_DATA_DIR: dataDirectory, ...env }, launcher);
    let stderr = "";
    child.stdout.resume();
    child.stderr.on("data", (chunk) => (stderr += String(chunk)));
    const killer = setTimeout(() => child.kill("SIGKILL"), STOP_DEADLINE_MS);
    const [status] = await once(child, "close");
    clearTimeout(killer);
    return { status, stderr, written: await readdir(dataDirectory) };
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

function spawnPlatform(env: Readonly<Record<string, string>>, launcher: readonly string[] = []) {
  const [program = process.execPath, ...args] = [...launcher, process.execPath, ...startArguments];
  return spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
}
