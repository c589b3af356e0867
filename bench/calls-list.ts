/**
 * Time of `GET /calls` with each of its filters, and the indexes that PostgreSQL uses for it, with a million calls.
 *
 *     npm run bench -- calls-list [--json] [--calls N] [--runs N]
 *
 * Nine tenths of the calls belong to one organization, whose list is measured: a page of 50 and the number of all that match, as
 * the dashboard requests them. The statements are those that the service sends. "whole calls" means that a statement reads the table instead of an index.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createFeatures } from "../apps/server/src/node/features.ts";
import { createTestResources } from "../apps/server/src/node/testing.ts";
import { ClosingStack } from "../apps/server/src/platform/closing-stack.ts";
import { connectDatabase } from "../apps/server/src/platform/database/connect.ts";
import type { Database } from "../apps/server/src/platform/database/database.ts";
import { createLogger } from "../apps/server/src/platform/logging/logging.ts";
import { insertCalls, type ManyCalls } from "./calls-list/insert-calls.ts";
import { findPlan, recordStatements } from "./calls-list/plans.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "1000000" },
    runs: { type: "string", default: "5" },
  },
});

const logger = createLogger({ level: "silent" });
const closers: (() => Promise<unknown>)[] = [];

async function open() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-bench-calls-list-"));
  closers.unshift(async () => await rm(dataDirectory, { recursive: true, force: true }));
  const configuration = { dataDirectory, database: undefined, encryptionKeys: undefined };
  const { database, directUrl, encryption, close } = await connectDatabase(configuration, logger);
  closers.unshift(close);
  const features = createFeatures(
    createTestResources({ database, encryption, clock: { now: () => new Date() } }),
  );
  const started = new ClosingStack();
  features.closeWith(started);
  closers.unshift(async () => await started.close());
  return { database, directUrl, modules: features.services };
}

type Filter = Omit<Parameters<Bench["modules"]["calls"]["list"]>[1], "page" | "pageSize" | "sort">;
type Bench = Awaited<ReturnType<typeof open>>;

/** Each filter of the calls page, with a frequent and a rare value if both occur. */
function filtersOf({
  agentIds,
  trunkId,
  rareNumber,
  calledNumber,
  day,
}: ManyCalls): Readonly<Record<string, Filter>> {
  const [agentId = ""] = agentIds;
  return {
    "no filter": {},
    agent: { agentId },
    "status, frequent": { status: ["completed"] },
    "status, rare": { status: ["failed"] },
    "active calls": { status: ["ringing", "in_progress"] },
    "end reason, frequent": { endReason: ["user_hangup"] },
    "end reason, rare": { endReason: ["error_llm"] },
    direction: { direction: "inbound" },
    "channel, rare": { channel: "web" },
    "from number": { fromNumber: rareNumber },
    "to number": { toNumber: calledNumber },
    "from a number that never called": { fromNumber: "+19995550100" },
    environment: { environment: "staging" },
    "no test calls": { isTest: false },
    "only test calls": { isTest: true },
    "at least 10 minutes": { minDurationSeconds: 600 },
    "one day": { createdAfter: `${day}T00:00:00Z`, createdBefore: `${day}T23:59:59Z` },
    "one day, agent and status": { agentId, status: ["completed"], createdAfter: `${day}T00:00:00Z` },
    trunk: { sipTrunkId: trunkId },
    "words, frequent": { text: "parking" },
    "words that nobody said": { text: "aardvark" },
  };
}

interface Row {
  filter: string;
  total: number;
  ms: number;
  indexes: string;
}

async function measure({ database, modules }: Bench, many: ManyCalls): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, filter] of Object.entries(filtersOf(many))) {
    const list = async () =>
      await modules.calls.list(many.organizationId, { page: 1, pageSize: 50, sort: "desc", ...filter });
    const { statements, result } = await recordStatements(database, list);
    const timesMs: number[] = [];
    for (let run = 0; run < Number(options.runs); run++) {
      const startedAt = performance.now();
      await list();
      timesMs.push(performance.now() - startedAt);
    }
    const plans = await Promise.all(statements.map(async (each) => await findPlan(database, each)));
    const indexes = [
      ...new Set(
        plans.flatMap((plan) => [...plan.indexes, ...plan.scannedTables.map((each) => `whole ${each}`)]),
      ),
    ].join(", ");
    rows.push({ filter: name, total: result.total, ms: rounded(percentile(timesMs, 0.5), 1) ?? 0, indexes });
  }
  return rows;
}

async function sizeOf(database: Database): Promise<number> {
  const { rows } = await database.$client.query<{ bytes: string }>(
    "select pg_indexes_size('calls') as bytes",
  );
  return Math.round(Number(rows[0]?.bytes) / 1e6);
}

try {
  const yardstick = new Yardstick();
  const bench = await open();
  const many = await insertCalls(bench, Number(options.calls));
  const rows = await measure(bench, many);
  const slowestMs = Math.max(...rows.map(({ ms }) => ms));
  console.table(rows);
  const indexMegabytes = await sizeOf(bench.database);
  console.log(`slowest: ${slowestMs} ms; the indexes of calls have ${indexMegabytes} MB`);
  const report = yardstick.finish({ "slowest list": slowestMs });
  if (options.json) console.log(JSON.stringify({ rows, slowestMs, indexMegabytes, ...report }));
} finally {
  for (const close of closers) await close();
}
