/**
 * `npm run cluster -- 3`: so many nodes on this machine and one PostgreSQL, until Ctrl-C. PARLEY_HTTP_PORT and
 * PARLEY_SIP_PORT are the first node's ports; what else the environment says is every node's. DATABASE_URL names a
 * PostgreSQL to use; without it one runs under PARLEY_DATA_DIR/cluster, where the nodes keep their files too.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@parley/conversation/error-message";
import { slicePortRange } from "@parley/rtp";
import { startEmbeddedPostgres } from "../apps/server/src/platform/database/embedded-postgres.ts";
import { loadOrCreateKey } from "../apps/server/src/platform/encryption/encryption.ts";
import { requireWritable } from "../apps/server/src/node/folders.ts";
import { startArguments } from "./start-command.ts";

const MAX_NODES = 9;
/** Maximum number of connections of one node's pools, with a margin. */
const CONNECTIONS_PER_NODE = 30;
const SIP_PORT_STEP = 10;
const RTP_PORTS = { first: 20_000, last: 29_999 };
const READY_DEADLINE_MS = 300_000;
const POLL_MS = 250;

interface ClusterNode {
  name: string;
  httpUrl: string;
  sipPort: number;
  process: ChildProcess;
}

const count = Number(process.argv[2] ?? 3);
if (!Number.isInteger(count) || count < 1 || count > MAX_NODES) {
  console.error(`Usage: npm run cluster -- COUNT, with a count from 1 to ${MAX_NODES}`);
  process.exit(2);
}

const { env } = process;
const folder = path.resolve(env["PARLEY_DATA_DIR"] ?? "./.parley", "cluster");
try {
  await requireWritable(folder, "PARLEY_DATA_DIR");
} catch (error) {
  console.error(`The cluster cannot start: ${errorMessage(error)}`);
  process.exit(1);
}
const apiKey = env["PARLEY_BOOTSTRAP_API_KEY"] ?? `parley_${randomBytes(20).toString("hex")}`;
const key = env["PARLEY_ENCRYPTION_KEY"] ?? (await loadOrCreateKey(folder)).toString("base64");
const postgres =
  env["DATABASE_URL"] === undefined
    ? await startEmbeddedPostgres({
        dataDirectory: folder,
        maxConnections: count * CONNECTIONS_PER_NODE + CONNECTIONS_PER_NODE,
      })
    : undefined;

const nodes = Array.from({ length: count }, (_, index) => startNode(index));
let isEnding = false;
process.on("SIGINT", endNodes);
process.on("SIGTERM", endNodes);
await Promise.all(nodes.map(announce));
await Promise.all(nodes.map(async (node) => await ended(node.process)));
await postgres?.close();
process.exit();

function startNode(index: number): ClusterNode {
  const name = `node-${index + 1}`;
  const httpPort = Number(env["PARLEY_HTTP_PORT"] ?? 8080) + index;
  const sipPort = Number(env["PARLEY_SIP_PORT"] ?? 5060) + index * SIP_PORT_STEP;
  const { first, last } = slicePortRange(RTP_PORTS, index, count);
  const child = spawn(process.execPath, startArguments, {
    // In a group of its own: Ctrl-C reaches it through us, and once.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PARLEY_LOG_LEVEL: "warn",
      PARLEY_MEDIA_PROCESSES: "1",
      DATABASE_URL: postgres?.connectionString,
      PARLEY_OBJECT_STORAGE_FOLDER: path.join(folder, "objects"),
      PARLEY_OBJECT_STORAGE_SHARED: "true",
      ...env,
      PARLEY_HTTP_PORT: String(httpPort),
      PARLEY_SIP_PORT: String(sipPort),
      PARLEY_RTP_PORTS: `${first}-${last}`,
      PARLEY_DATA_DIR: path.join(folder, name),
      PARLEY_ENCRYPTION_KEY: key,
      PARLEY_BOOTSTRAP_API_KEY: apiKey,
    },
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => console.log(`${name}: ${line}`));
  child.once("exit", (code, signal) => console.log(`${name} ended (${signal ?? code})`));
  return { name, httpUrl: `http://localhost:${httpPort}`, sipPort, process: child };
}

async function announce({ name, httpUrl, sipPort, process: child }: ClusterNode): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    const isReady = await fetch(`${httpUrl}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) {
      console.log(
        `${name} is ready: ${httpUrl}, SIP port ${sipPort}, process ${child.pid}, API key ${apiKey}`,
      );
      return;
    }
    await sleep(POLL_MS);
  }
}

/** Asked twice, they end at once. */
function endNodes(): void {
  if (!isEnding) console.log("The nodes end, once their calls are over.");
  isEnding = true;
  for (const node of nodes) node.process.kill("SIGTERM");
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
