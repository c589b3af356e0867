/**
 * `npm run dev`: runs Parley and restarts it whenever a source file changes. Open pages reload themselves, also after a
 * change of the dashboard, which needs no restart: the next request builds it. The embedded
 * PostgreSQL keeps running between restarts. Configuration is that of `npm start` (docs/operating.md).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { parseConfig } from "../apps/server/src/platform/config/config.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/database/embedded-postgres.ts";
import { loadOrCreateKey } from "../apps/server/src/platform/encryption/encryption.ts";
import { startArguments } from "./start-command.ts";

const WATCHED_FOLDERS = ["apps", "packages"];
/** An editor writes a file in several steps, and a rename of many files takes a moment. */
const SETTLE_MS = 50;
/** A call in progress does not delay a restart. */
const SHUTDOWN_SECONDS = "0";

const { config } = parseConfig(process.env);
const { dataDirectory } = config;
const postgres = config.database === undefined ? await startEmbeddedPostgres({ dataDirectory }) : undefined;
const environment = {
  ...process.env,
  ...(postgres !== undefined && {
    DATABASE_URL: postgres.connectionString,
    PARLEY_ENCRYPTION_KEY: (config.encryptionKeys ?? [await loadOrCreateKey(dataDirectory)])
      .map((key) => key.toString("base64"))
      .join(","),
  }),
  NODE_ENV: "development",
  PARLEY_SHUTDOWN_SECONDS: SHUTDOWN_SECONDS,
};

let server: ChildProcess = start();
let settling: NodeJS.Timeout | undefined;
let isRestarting = false;
let isStale = false;

for (const folder of WATCHED_FOLDERS) {
  watch(folder, { recursive: true }, (_event, file) => {
    if (file === null || !isSource(file)) return;
    clearTimeout(settling);
    settling = setTimeout(() => void restart(file), SETTLE_MS);
  });
}
process.once("SIGINT", () => void stop());
process.once("SIGTERM", () => void stop());

function isSource(file: string): boolean {
  return /\.(ts|sql|json)$/.test(file) && !/node_modules|^dashboard\/|\.test\.ts$/.test(file);
}

function start(): ChildProcess {
  return spawn(process.execPath, startArguments, { stdio: "inherit", env: environment });
}

async function restart(file: string): Promise<void> {
  isStale = true;
  if (isRestarting) return;
  isRestarting = true;
  while (isStale) {
    isStale = false;
    console.log(`${file} changed: restarting`);
    await end(server);
    server = start();
  }
  isRestarting = false;
}

/** A server that a mistake in the sources has ended starts again with the next change. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

async function stop(): Promise<void> {
  await end(server);
  await postgres?.close();
  process.exit();
}
