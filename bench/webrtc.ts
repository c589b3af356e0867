/**
 * Many browser calls at once on the whole platform, started as an operator starts it: Opus in both directions,
 * DTLS-SRTP, and a data channel each.
 *
 *     npm run bench -- webrtc [--json] [--calls 1,25,50,100] [--seconds 30]
 *
 * The browsers' side (WHIP and the same WebRTC library, without a browser; recorded people who speak 40 % of the time)
 * and scripted STT, LLM and TTS providers run in processes of their own; VAD and everything else is the platform's.
 * Calls stay while others join: an organization may start 20 per minute, so that 100 take five minutes.
 */
import { availableParallelism, cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ApiError, type JoinableCall } from "@parley/client/api";
import type { Platform } from "../e2e/support/platform/platform.ts";
import { createAgent } from "./calls/api.ts";
import { cpuUseBetween, readCpu } from "./calls/cpu-use.ts";
import { watchPacing } from "./calls/pacing.ts";
import { platformMemory } from "./calls/platform-processes.ts";
import type { CallersMethods } from "./calls/callers-process.ts";
import { type EchoFigures, measureEcho, msPerSecond, timesEcho } from "./calls/echo.ts";
import type { ProvidersMethods } from "./calls/providers-process.ts";
import { startScriptedPlatform } from "./calls/scripted-platform.ts";
import { Peer } from "./support/peer.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";
import type { BrowsersMethods } from "./webrtc/browsers-process.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "1,25,50,100" },
    seconds: { type: "string", default: "30" },
  },
});
const loads = options.calls.split(",").map(Number);
const seconds = Number(options.seconds);
/**
 * Time after the last call has joined until greetings have ended, and the wheel's lag metric no longer covers their
 * synthesis.
 */
const SETTLING_MS = 12_000;
/** Opus and DTLS make browser calls expensive: a hundred need more than one process, which is limited to one core. */
const MEDIA_PROCESSES = process.env["PARLEY_MEDIA_PROCESSES"] ?? String(availableParallelism());
const MAX_FAILED_JOINS = 20;
const MAX_REFUSALS = 24;

interface Bench {
  platform: Platform;
  agentId: string;
  browsers: Peer<BrowsersMethods>;
  providers: Peer<ProvidersMethods>;
  echo: EchoFigures;
}

/** Percentages are of one processor core. */
interface Row {
  calls: number;
  connected: number;
  seconds: number;
  /** Lateness of sent packets against their due times, measured by the media processes' own wheels. */
  pacingP99Ms: number | null;
  /** Largest p99 of any 10 s. */
  worstPacingP99Ms: number | null;
  /** Measured at the browsers: arrival against the agent's RTP clock, including the browsers' own delays. */
  arrivalJitterP99Ms: number | null;
  packetsReceived: number;
  packetsLost: number;
  cpuPercentPerCall: number | null;
  /** `cpuPercentPerCall` as a multiple of a bare RTP echo's. */
  timesEcho: number | null;
  mediaCpuPercentPerCall: number | null;
  mediaCpuPercent: number | null;
  mainCpuPercent: number | null;
  postgresCpuPercent: number | null;
  browsersCpuPercent: number | null;
  providersCpuPercent: number | null;
  /** Used by other processes of the machine. */
  otherCpuPercent: number | null;
  stolenCpuPercent: number | null;
  browsersWheelLagP99Ms: number | null;
  mediaRssMiB: number | null;
  nodeRssMiB: number | null;
  utterances: number;
  events: number;
  joinsFailed: number;
}

/** Waits while the minute's limit is reached, or while calls are rejected because the wheels are late. */
async function startCall({ platform, agentId }: Bench): Promise<JoinableCall> {
  for (let refusals = 0; ;) {
    try {
      return await platform.api.startTestCall(agentId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isTransient = error.status === 429 || (error.status === 503 && ++refusals <= MAX_REFUSALS);
      if (!isTransient) throw error;
      await sleep(error.retryAfterMs ?? 5_000);
    }
  }
}

/** Starts calls and joins them up to a number; returns how many joins failed. */
async function join(bench: Bench, from: number, to: number): Promise<number> {
  const { browsers } = bench;
  let failed = 0;
  for (let joined = from; joined < to;) {
    const failure = await browsers.ask("join", await startCall(bench));
    if (failure === undefined) joined++;
    else if (++failed > MAX_FAILED_JOINS) throw new Error(failure);
    else console.log(`a join failed: ${failure}`);
  }
  return failed;
}

async function measure(bench: Bench, calls: number, joinsFailed: number): Promise<Row> {
  const { platform, browsers, providers } = bench;
  const processes = { platform, callers: browsers, providers };
  await sleep(SETTLING_MS);
  const before = await readCpu(processes);
  await browsers.ask("startRecording", undefined);
  const pacing = await watchPacing(platform, before.atMs + seconds * 1000);
  const heard = await browsers.ask("endRecording", undefined);
  const after = await readCpu(processes);
  const memory = await platformMemory(platform.process.pid ?? 0);
  const { parts, ...use } = cpuUseBetween(before, after);
  const cpuPercentPerCall = rounded(use.platform / calls, 3);
  return {
    calls,
    connected: heard.connected,
    seconds,
    pacingP99Ms: rounded(pacing.p99Ms),
    worstPacingP99Ms: rounded(pacing.worstP99Ms),
    arrivalJitterP99Ms: rounded(percentile(heard.arrivals.latenessMs, 0.99)),
    packetsReceived: heard.arrivals.packets,
    packetsLost: heard.arrivals.lost,
    cpuPercentPerCall,
    timesEcho: timesEcho(cpuPercentPerCall, bench.echo),
    mediaCpuPercentPerCall: rounded(parts.media / calls, 3),
    mediaCpuPercent: rounded(parts.media, 1),
    mainCpuPercent: rounded(parts.main, 1),
    postgresCpuPercent: rounded(parts.postgres, 1),
    browsersCpuPercent: rounded(use.callers, 1),
    providersCpuPercent: rounded(use.providers, 1),
    otherCpuPercent: rounded(use.others, 1),
    stolenCpuPercent: rounded(use.stolen, 1),
    browsersWheelLagP99Ms: rounded(heard.wheelLagP99Ms),
    mediaRssMiB: rounded(memory.rssMiBByPart.media, 1),
    nodeRssMiB: rounded(memory.nodeRssMiB, 1),
    utterances: heard.utterances,
    events: heard.events,
    joinsFailed,
  };
}

/** Difference between the smallest and the largest measured load. */
function memoryPerCallMiB(rows: readonly Row[]): { media: number | null; node: number | null } {
  const [low, high] = [rows.at(0), rows.at(-1)];
  if (low === undefined || high === undefined || low === high) return { media: null, node: null };
  const calls = high.calls - low.calls;
  return {
    media: rounded(((high.mediaRssMiB ?? 0) - (low.mediaRssMiB ?? 0)) / calls),
    node: rounded(((high.nodeRssMiB ?? 0) - (low.nodeRssMiB ?? 0)) / calls),
  };
}

async function measureBareEcho(): Promise<EchoFigures> {
  const callers = new Peer<CallersMethods>(new URL("calls/callers-process.ts", import.meta.url));
  try {
    return await measureEcho(callers, Math.max(...loads));
  } finally {
    await callers.close();
  }
}

async function run(): Promise<void> {
  const yardstick = new Yardstick();
  const echo = await measureBareEcho();
  console.table({ "echo alone": echo });
  const providers = new Peer<ProvidersMethods>(new URL("calls/providers-process.ts", import.meta.url));
  const browsers = new Peer<BrowsersMethods>(new URL("webrtc/browsers-process.ts", import.meta.url));
  let platform: Platform | undefined;
  try {
    const urls = await providers.ask("start", undefined);
    platform = await startScriptedPlatform(urls, { PARLEY_MEDIA_PROCESSES: MEDIA_PROCESSES });
    const { agentId } = await createAgent(platform);
    const bench: Bench = { platform, agentId, browsers, providers, echo };
    const rows: Row[] = [];
    for (const [index, calls] of loads.entries()) {
      const failed = await join(bench, loads[index - 1] ?? 0, calls);
      const row = await measure(bench, calls, failed);
      console.table([row]);
      rows.push(row);
    }
    await browsers.ask("finish", undefined);
    const memory = memoryPerCallMiB(rows);
    console.table({ "MiB per call": memory });
    const report = yardstick.finish({
      "bare echo, a second of a call": msPerSecond(echo.cpuPercentPerCall),
      ...Object.fromEntries(
        rows.map((row) => [`${row.calls} calls, a second of a call`, msPerSecond(row.cpuPercentPerCall)]),
      ),
    });
    if (options.json) {
      const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
      const mediaProcesses = Number(MEDIA_PROCESSES);
      console.log(
        JSON.stringify({ rows, memoryPerCallMiB: memory, mediaProcesses, echo, machine, ...report }),
      );
    }
    process.exitCode = rows.every(({ calls, connected }) => calls === connected) ? 0 : 1;
  } finally {
    await platform?.stop();
    await Promise.all([browsers.close(), providers.close()]);
  }
}

await run();
