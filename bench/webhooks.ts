/**
 * Delay and throughput of the webhooks for ends of calls: a whole node's part (transaction, queue, body, signature,
 * request, log) on a PostgreSQL of its own, with a server in the same process that answers at once.
 *
 *     npm run bench -- webhooks [--json] [--calls N] [--rate CALLS_PER_SECOND]
 *
 * First calls end evenly at the rate; then the same number end at once. Each delay is from the commit to the request's
 * arrival.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createFeatures, type Services } from "../apps/server/src/node/features.ts";
import { createTestResources } from "../apps/server/src/node/testing.ts";
import { ClosingStack } from "../apps/server/src/platform/closing-stack.ts";
import { parseConfig } from "../apps/server/src/platform/config/config.ts";
import { connectDatabase } from "../apps/server/src/platform/database/connect.ts";
import { Jobs } from "../apps/server/src/platform/jobs/jobs.ts";
import { createLogger } from "../apps/server/src/platform/logging/logging.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "200" },
    rate: { type: "string", default: "5" },
  },
});
const callCount = Number(options.calls);

/** Times at which each call's end was committed, and delivered. */
const endedAtMs = new Map<string, number>();
const toldAtMs = new Map<string, number>();

const receiver = createServer((request, response) => {
  const atMs = performance.now();
  void json(request).then((body) => {
    const { data } = body as { data: { id: string } };
    toldAtMs.set(data.id, atMs);
    response.end();
  });
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const address = receiver.address();
if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
const url = `http://127.0.0.1:${address.port}/`;

const yardstick = new Yardstick();
const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-bench-webhooks-"));
const connection = await connectDatabase(
  { dataDirectory, database: undefined, encryptionKeys: undefined },
  createLogger({ level: "silent" }),
);
const { database } = connection;
const jobs = await Jobs.start({
  connectionString: connection.directUrl,
  logger: createLogger({ level: "silent" }),
});
const features = createFeatures(
  createTestResources({
    ...connection,
    jobs,
    config: parseConfig({ PARLEY_DATA_DIR: dataDirectory, PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true" }).config,
  }),
);
const { services: modules } = features;
const started = new ClosingStack();
features.closeWith(started);
await features.prepare(jobs);
const { id: organizationId } = await modules.organizations.ensure(database, "bench", "Bench");
await modules.signingSecrets.rotate(organizationId);

const evenly = await openCalls(modules);
for (const id of evenly) {
  await Promise.all([end(id), sleep(1000 / Number(options.rate))]);
}
await allTold();
const delaysMs = evenly.map((id) => (toldAtMs.get(id) ?? 0) - (endedAtMs.get(id) ?? 0)).sort((a, b) => a - b);

const atOnce = await openCalls(modules);
await Promise.all(atOnce.map(end));
const beganMs = performance.now();
await allTold();
const tookMs = Math.max(...atOnce.map((id) => toldAtMs.get(id) ?? 0)) - beganMs;

const result = {
  calls: callCount,
  delayP50Ms: rounded(percentile(delaysMs, 0.5)),
  delayP99Ms: rounded(percentile(delaysMs, 0.99)),
  atOnceTookMs: rounded(tookMs),
};
console.log(
  `${callCount} ends at ${options.rate}/s: told after ${result.delayP50Ms} ms (p50), ${result.delayP99Ms} ms (p99)\n` +
    `${callCount} ends at once: the last is told ${result.atOnceTookMs} ms after it`,
);
const report = yardstick.finish({
  "told p50": result.delayP50Ms,
  "told p99": result.delayP99Ms,
  "all at once, per call": tookMs / callCount,
});
if (options.json) console.log(JSON.stringify({ ...result, ...report }));

await started.close();
await jobs.close();
await connection.close();
receiver.closeAllConnections();
receiver.close();
await rm(dataDirectory, { recursive: true, force: true });

async function openCalls({ calls }: Services): Promise<string[]> {
  const opened = Array.from({ length: callCount }, async () => {
    const { callId } = await calls.open({
      organizationId,
      agentId: organizationId,
      agentRevision: null,
      configurationRevision: 1,
      environment: null,
      channel: "web",
      direction: "inbound",
      status: "ringing",
      phoneNumberId: null,
      sipTrunkId: null,
      fromNumber: null,
      toNumber: null,
      nodeId: "bench",
      sipCallId: null,
      variables: {},
      postCallWebhookUrl: url,
      startedAt: new Date(),
    });
    return callId;
  });
  return await Promise.all(opened);
}

async function end(id: string): Promise<void> {
  await modules.calls.finish(id, { status: "completed", endReason: "user_hangup", endedAt: new Date() });
  endedAtMs.set(id, performance.now());
}

async function allTold(): Promise<void> {
  while (toldAtMs.size < endedAtMs.size) await sleep(20);
}
