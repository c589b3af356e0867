/**
 * Many calls at once on the whole platform, started as an operator starts it.
 *
 *     npm run bench -- calls [--json] [--calls 1,10,50,100,200] [--seconds N] [--profile DIRECTORY]
 *
 * Callers (SIP, G.711 over RTP, recorded people who speak 40 % of the time) and scripted STT, LLM and TTS providers
 * (WebSocket and SSE) run in processes of their own; VAD and everything else is the platform's. At the largest load a
 * bare echo of RTP is measured too: `timesEcho` is a call's processor time as a multiple of the echo's. With
 * `--profile`, every process of the platform writes a V8 processor profile to the directory.
 */
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { OPERATOR_KEY } from "../e2e/support/platform/organizations.ts";
import type { Platform } from "../e2e/support/platform/platform.ts";
import { allowCalls, createAgent } from "./calls/api.ts";
import type { CallersMethods } from "./calls/callers-process.ts";
import { measureEcho, msPerSecond } from "./calls/echo.ts";
import type { ProvidersMethods } from "./calls/providers-process.ts";
import { type Bench, type MeasuredRow, measureRow, type Row } from "./calls/row.ts";
import { type LoadTimes, MAX_REST_SECONDS, type PlannedLoad, scheduleLoad } from "./calls/schedule.ts";
import { startScriptedPlatform } from "./calls/scripted-platform.ts";
import { Peer } from "./support/peer.ts";
import { rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

/** Memory is compared between these two loads, after this time at each. */
const [MEMORY_FROM_CALLS, MEMORY_TO_CALLS] = [10, 200];
const MEMORY_SECONDS = 60;
const MIN_MEMORY_SECONDS = 30;
const SHORT_SECONDS = 20;
/** Total time, also on a slow machine; loads are then measured for a shorter time. */
const BUDGET_SECONDS = 8.5 * 60;
/** Code is slower on its first runs, so these calls are not reported. */
const WARM_UP_CALLS = 2;
const WARM_UP_SECONDS = 8;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "1,10,50,100,200" },
    seconds: { type: "string" },
    profile: { type: "string" },
  },
});
const loads = options.calls.split(",").map(Number);

const planned: readonly PlannedLoad[] = loads.map((calls) => ({
  calls,
  seconds: calls === MEMORY_FROM_CALLS || calls === MEMORY_TO_CALLS ? MEMORY_SECONDS : SHORT_SECONDS,
}));

function timesOf(remaining: readonly PlannedLoad[], startedAtMs: number): LoadTimes {
  if (options.seconds !== undefined)
    return { restSeconds: MAX_REST_SECONDS, seconds: Number(options.seconds) };
  return scheduleLoad(remaining, BUDGET_SECONDS - (performance.now() - startedAtMs) / 1000);
}

/** `null` unless both loads were measured for long enough. */
function memoryPerCall(measured: readonly MeasuredRow[]): Record<string, number | null> | null {
  const at = (calls: number): MeasuredRow | undefined => measured.find(({ row }) => row.calls === calls);
  const [low, high] = [at(MEMORY_FROM_CALLS), at(MEMORY_TO_CALLS)];
  if (low === undefined || high === undefined) return null;
  if (Math.min(low.row.seconds, high.row.seconds) < MIN_MEMORY_SECONDS) return null;
  const perCall = (of: (memory: MeasuredRow["memory"]) => number): number | null =>
    rounded((of(high.memory) - of(low.memory)) / (high.row.answeredCalls - low.row.answeredCalls), 3);
  return {
    all: perCall(({ rssMiB }) => rssMiB),
    node: perCall(({ nodeRssMiB }) => nodeRssMiB),
    main: perCall(({ rssMiBByPart }) => rssMiBByPart.main),
    media: perCall(({ rssMiBByPart }) => rssMiBByPart.media),
    postgresRss: perCall(({ rssMiBByPart }) => rssMiBByPart.postgres),
    postgresPss: perCall(({ postgresPssMiB }) => postgresPssMiB),
  };
}

function printRows(rows: readonly Row[]): void {
  console.table(
    rows.map((row) => ({
      calls: row.calls,
      "pacing p99 ms": row.pacingP99Ms,
      "arrival p99 ms": row.arrivalJitterP99Ms,
      "overhead p50 ms": row.overheadP50Ms,
      "overhead p99 ms": row.overheadP99Ms,
      "CPU % per call": row.cpuPercentPerCall,
      "times echo": row.timesEcho,
      "media CPU %": row.cpuPercent.media,
      "main CPU %": row.cpuPercent.main,
      "postgres CPU %": row.cpuPercent.postgres,
      "callers CPU %": row.callersCpuPercent,
      "providers CPU %": row.providersCpuPercent,
      "others' CPU %": row.otherCpuPercent,
      "stolen CPU %": row.stolenCpuPercent,
      turns: row.turns,
      "turns missing": row.turnsMissing,
      "calls failed": row.callsFailed,
    })),
  );
  for (const failure of rows.flatMap(({ failures }) => failures).slice(0, 10)) console.log(failure);
}

function platformEnv(): Record<string, string> {
  const { profile } = options;
  return {
    PARLEY_OPERATOR_API_KEY: OPERATOR_KEY,
    ...(profile !== undefined && {
      NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${profile}`,
    }),
  };
}

async function run(): Promise<void> {
  const providers = new Peer<ProvidersMethods>(new URL("calls/providers-process.ts", import.meta.url));
  const callers = new Peer<CallersMethods>(new URL("calls/callers-process.ts", import.meta.url));
  let platform: Platform | undefined;
  const startedAtMs = performance.now();
  const yardstick = new Yardstick();
  try {
    const echo = await measureEcho(callers, Math.max(...loads));
    console.table({ "echo alone": echo });
    platform = await startScriptedPlatform(await providers.ask("start", undefined), platformEnv());
    await allowCalls(platform, Math.max(...loads));
    await createAgent(platform);
    const bench: Bench = { platform, callers, providers, echo };
    await measureRow(bench, WARM_UP_CALLS, { restSeconds: 0, seconds: WARM_UP_SECONDS });
    const measured: MeasuredRow[] = [];
    for (const [index, { calls }] of planned.entries()) {
      const result = await measureRow(bench, calls, timesOf(planned.slice(index), startedAtMs));
      printRows([result.row]);
      measured.push(result);
    }
    const rows = measured.map(({ row }) => row);
    const memory = memoryPerCall(measured);
    printRows(rows);
    if (memory !== null) console.table({ "MiB per call": memory });
    const report = yardstick.finish({
      "bare echo, a second of a call": msPerSecond(echo.cpuPercentPerCall),
      ...Object.fromEntries(
        rows.flatMap((row) => [
          [`${row.calls} calls, a second of a call`, msPerSecond(row.cpuPercentPerCall)],
          [`${row.calls} calls, overhead p99`, row.overheadP99Ms],
        ]),
      ),
    });
    if (options.json) {
      const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
      const memoryMiB = Object.fromEntries(measured.map(({ row, memory: at }) => [row.calls, at]));
      console.log(
        JSON.stringify({
          rows,
          memoryPerCallMiB: memory?.["all"] ?? null,
          memoryPerCallMiBByPart: memory,
          memoryMiB,
          echo,
          machine,
          ...report,
        }),
      );
    }
    process.exitCode = rows.every(({ callsFailed, turnsMissing }) => callsFailed + turnsMissing === 0)
      ? 0
      : 1;
  } finally {
    await platform?.stop();
    await Promise.all([callers.close(), providers.close()]);
  }
}

await run();
