/**
 * Reads and writes of agents over HTTP, compared with bare Fastify routes that run the same SQL in the same process and
 * run.
 *
 *     npm run bench -- api [--json] [--seconds N] [--rounds N] [--connections N]
 *
 * Both are measured in alternating rounds, so that other load on the machine affects both; the results are medians of
 * the rounds.
 */
import { parseArgs } from "node:util";
import { type LoadResult, runLoad } from "./api/load.ts";
import type { Servers, ServersMethods } from "./api/servers-process.ts";
import { Peer } from "./support/peer.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "8" },
  },
});

const operations = ["get", "list", "patch"] as const;
type Operation = (typeof operations)[number];

interface Row {
  operation: Operation;
  platformPerSecond: number;
  barePerSecond: number;
  ratio: number;
  platformP99Ms: number;
  bareP99Ms: number;
}

const median = (values: readonly number[]): number => percentile(values, 0.5);

let counter = 0;

async function load(
  servers: Servers,
  operation: Operation,
  isBare: boolean,
  seconds: number,
): Promise<LoadResult> {
  const { agentIds, apiKey, bareUrl, platformUrl } = servers;
  const prefix = isBare ? "" : "/v1";
  return await runLoad({
    url: isBare ? bareUrl : platformUrl,
    connections: Number(options.connections),
    seconds,
    next: () => {
      counter += 1;
      const path = `${prefix}/agents/${agentIds[counter % agentIds.length] ?? ""}`;
      const headers = { "x-api-key": apiKey };
      if (operation === "get") return { method: "GET", path, headers };
      if (operation === "list") return { method: "GET", path: `${prefix}/agents`, headers };
      const body = JSON.stringify({ firstMessage: `Hello ${counter}` });
      return { method: "PATCH", path, headers: { ...headers, "content-type": "application/json" }, body };
    },
  });
}

async function measure(servers: Servers, operation: Operation): Promise<Row> {
  const results: Record<"platform" | "bare", LoadResult[]> = { platform: [], bare: [] };
  for (const isBare of [false, true]) await load(servers, operation, isBare, 1);
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const side of ["platform", "bare"] as const) {
      results[side].push(await load(servers, operation, side === "bare", Number(options.seconds)));
    }
  }
  const speed = (side: LoadResult[]) => median(side.map(({ requestsPerSecond }) => requestsPerSecond));
  const slowest = (side: LoadResult[]) =>
    median(side.map(({ latenciesMs }) => percentile(latenciesMs, 0.99)));
  const [platformPerSecond, barePerSecond] = [speed(results.platform), speed(results.bare)];
  return {
    operation,
    platformPerSecond,
    barePerSecond,
    ratio: platformPerSecond / barePerSecond,
    platformP99Ms: slowest(results.platform),
    bareP99Ms: slowest(results.bare),
  };
}

const yardstick = new Yardstick();
const peer = new Peer<ServersMethods>(new URL("api/servers-process.ts", import.meta.url));
try {
  const servers = await peer.ask("start", undefined);
  const rows: Row[] = [];
  for (const operation of operations) {
    const row = await measure(servers, operation);
    rows.push(row);
    if (!options.json) {
      const figures = Object.entries(row).map(([name, value]) =>
        typeof value === "number" ? `${name} ${rounded(value)}` : value,
      );
      console.log(figures.join("  "));
    }
  }
  const ratioOf = (operation: Operation) =>
    rows.find((row) => row.operation === operation)?.ratio ?? Number.NaN;
  const summary = {
    readRatio: rounded(Math.min(ratioOf("get"), ratioOf("list"))),
    writeRatio: rounded(ratioOf("patch")),
    rows: rows.map((row) => ({
      ...row,
      platformPerSecond: rounded(row.platformPerSecond, 0),
      barePerSecond: rounded(row.barePerSecond, 0),
      ratio: rounded(row.ratio),
      platformP99Ms: rounded(row.platformP99Ms),
      bareP99Ms: rounded(row.bareP99Ms),
    })),
  };
  console.log(`reads ${summary.readRatio}, writes ${summary.writeRatio}`);
  const report = yardstick.finish(
    Object.fromEntries(
      rows.map(({ operation, platformPerSecond }) => [
        `${operation}, time per request`,
        1000 / platformPerSecond,
      ]),
    ),
  );
  if (options.json) console.log(JSON.stringify({ ...summary, ...report }));
  await peer.ask("stop", undefined);
} finally {
  await peer.close();
}
