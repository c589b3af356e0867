import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../e2e/support/platform/platform.ts";
import type { Peer } from "../support/peer.ts";
import { percentile, rounded, sumOf } from "../support/statistics.ts";
import type { CallDetail } from "@parley/contract";
import { finishedCalls, hasPendingRecordings, NUMBER } from "./api.ts";
import type { CallerOutcome } from "./caller.ts";
import type { CallersMethods } from "./callers-process.ts";
import { type CpuReading, cpuUseBetween, readCpu } from "./cpu-use.ts";
import { type EchoFigures, timesEcho } from "./echo.ts";
import { watchPacing, wheelLagP99Ms } from "./pacing.ts";
import { type Overhead, overheadsOf, totalOverheadMs } from "./overhead.ts";
import { platformMemory, type PlatformMemory, type PerPart, perPart } from "./platform-processes.ts";
import type { ProvidersMethods } from "./providers-process.ts";
import type { LoadTimes } from "./schedule.ts";

/**
 * Time after the last call was answered until greetings have ended, and the wheel's lag metric no longer covers their
 * synthesis.
 */
const SETTLING_MS = 11_000;
const REST_INTERVAL_MS = 500;

export interface Bench {
  platform: Platform;
  callers: Peer<CallersMethods>;
  providers: Peer<ProvidersMethods>;
  echo: EchoFigures;
}

/** Results of one load. Percentages are of one processor core. */
export interface Row {
  calls: number;
  /** Number of calls that were answered and lasted; values per call refer to these. */
  answeredCalls: number;
  seconds: number;
  /** Lateness of sent packets against their due times, measured by the media processes' own wheels. */
  pacingP99Ms: number | null;
  /** Largest p99 of any 10 s. */
  worstPacingP99Ms: number | null;
  /** Measured at the callers: arrival against the agent's RTP clock, including the callers' own delays. */
  arrivalJitterP99Ms: number | null;
  /** Measured at the callers: deviation of the time between two packets from 20 ms. */
  arrivalSpacingP99Ms: number | null;
  packetsLost: number;
  overheadP50Ms: number | null;
  overheadP99Ms: number | null;
  /** Time from available first audio to the first sent packet, as reported by the API on the platform's own clock. */
  apiOverheadP99Ms: number | null;
  /** p50 and p99 of the parts of `overhead…Ms`. */
  overheadParts: Record<keyof Overhead, [number | null, number | null]>;
  /** Number of turns whose overhead is known; it should include all turns. */
  overheadTurns: number;
  cpuPercentPerCall: number | null;
  /** `cpuPercentPerCall` as a multiple of the bare echo's. */
  timesEcho: number | null;
  cpuPercent: PerPart<number | null>;
  callersCpuPercent: number | null;
  providersCpuPercent: number | null;
  /** Used by other processes of the machine. */
  otherCpuPercent: number | null;
  /** Taken by the host's other machines while this one had work. */
  stolenCpuPercent: number | null;
  /** Lateness of the callers' own packets. */
  callersWheelLagP99Ms: number | null;
  turns: number;
  turnsMissing: number;
  turnsInterrupted: number;
  callsFailed: number;
  failures: string[];
}

export interface MeasuredRow {
  row: Row;
  memory: PlatformMemory;
}

/** Places `calls` calls on the platform, measures for `seconds`, and ends them. */
export async function measureRow(
  bench: Bench,
  calls: number,
  { restSeconds, seconds }: LoadTimes,
): Promise<MeasuredRow> {
  const { platform, callers, providers } = bench;
  await untilRested(platform, restSeconds);
  const since = new Date();
  await providers.ask("takeExchanges", undefined);
  await callers.ask("place", { calls, to: { number: NUMBER, sipPort: platform.sipPort } });
  await sleep(SETTLING_MS);

  const before = await readCpu(bench);
  await callers.ask("startRecording", undefined);
  const pacing = await watchPacing(platform, before.atMs + seconds * 1000);
  const { arrivals, wheelLagP99Ms: callersLagMs } = await callers.ask("endRecording", undefined);
  const after = await readCpu(bench);
  const memory = await platformMemory(platform.process.pid ?? 0);

  const outcomes = await callers.ask("finish", undefined);
  const details = await finishedCalls(platform, since);
  const exchanges = await providers.ask("takeExchanges", undefined);
  const onsets = new Map(outcomes.map((outcome) => [outcome.fromNumber, outcome.agentOnsetsMs]));
  const overheads = overheadsOf(details, exchanges, (fromNumber) => onsets.get(fromNumber) ?? []);

  const answeredCalls = outcomes.filter(({ failure }) => failure === undefined).length;
  const row: Row = {
    calls,
    answeredCalls,
    seconds,
    pacingP99Ms: rounded(pacing.p99Ms),
    worstPacingP99Ms: rounded(pacing.worstP99Ms),
    arrivalJitterP99Ms: rounded(percentile(arrivals.latenessMs, 0.99)),
    arrivalSpacingP99Ms: rounded(
      percentile(
        arrivals.spacingMs.map((ms) => Math.abs(ms - 20)),
        0.99,
      ),
    ),
    packetsLost: arrivals.lost,
    ...overheadFigures(overheads),
    apiOverheadP99Ms: rounded(percentile(apiOverheadsMs(details), 0.99)),
    ...cpuFigures(before, after, answeredCalls, bench.echo),
    callersWheelLagP99Ms: rounded(callersLagMs),
    ...turnFigures(outcomes, details),
  };
  return { row, memory };
}

/**
 * Waits until the platform has recovered from the previous load: with a late wheel it would reject calls, and the
 * recordings of ended calls must not affect later ones.
 */
async function untilRested(platform: Platform, restSeconds: number): Promise<void> {
  const deadline = performance.now() + restSeconds * 1000;
  while (!(await isRested(platform)) && performance.now() < deadline) await sleep(REST_INTERVAL_MS);
}

async function isRested(platform: Platform): Promise<boolean> {
  return (await wheelLagP99Ms(platform)) === 0 && !(await hasPendingRecordings(platform));
}

function cpuFigures(
  before: CpuReading,
  after: CpuReading,
  calls: number,
  echo: EchoFigures,
): Pick<
  Row,
  | "cpuPercentPerCall"
  | "timesEcho"
  | "cpuPercent"
  | "callersCpuPercent"
  | "providersCpuPercent"
  | "otherCpuPercent"
  | "stolenCpuPercent"
> {
  const { parts, platform, callers, providers, others, stolen } = cpuUseBetween(before, after);
  const cpuPercentPerCall = rounded(platform / calls, 3);
  return {
    cpuPercentPerCall,
    timesEcho: timesEcho(cpuPercentPerCall, echo),
    cpuPercent: perPart((part) => rounded(parts[part], 1)),
    callersCpuPercent: rounded(callers, 1),
    providersCpuPercent: rounded(providers, 1),
    otherCpuPercent: rounded(others, 1),
    stolenCpuPercent: rounded(stolen, 1),
  };
}

function overheadFigures(
  overheads: readonly Overhead[],
): Pick<Row, "overheadP50Ms" | "overheadP99Ms" | "overheadParts" | "overheadTurns"> {
  const figure = (of: (overhead: Overhead) => number, share: number): number | null =>
    rounded(percentile(overheads.map(of), share));
  const part = (name: keyof Overhead): [number | null, number | null] => [
    figure((overhead) => overhead[name], 0.5),
    figure((overhead) => overhead[name], 0.99),
  ];
  return {
    overheadP50Ms: figure(totalOverheadMs, 0.5),
    overheadP99Ms: figure(totalOverheadMs, 0.99),
    overheadParts: {
      aroundFirstTokenMs: part("aroundFirstTokenMs"),
      clauseToSynthesisMs: part("clauseToSynthesisMs"),
      audioToPacketMs: part("audioToPacketMs"),
    },
    overheadTurns: overheads.length,
  };
}

function apiOverheadsMs(details: readonly CallDetail[]): number[] {
  return details.flatMap(({ turns }) => turns.flatMap(({ overheadMs }) => overheadMs ?? []));
}

function turnFigures(
  outcomes: readonly CallerOutcome[],
  details: readonly CallDetail[],
): Pick<Row, "turns" | "turnsMissing" | "turnsInterrupted" | "callsFailed" | "failures"> {
  const detailOf = new Map(details.map((detail) => [detail.fromNumber, detail]));
  const failures = outcomes.flatMap(({ fromNumber, failure }) => {
    const detail = detailOf.get(fromNumber);
    const how = failure ?? failureOf(detail);
    return how === undefined ? [] : [`${fromNumber}: ${how}`];
  });
  return {
    turns: sumOf(details.map(({ turns }) => turns.length)),
    turnsMissing: sumOf(
      outcomes.map(({ fromNumber, utterances }) =>
        Math.max(0, utterances - (detailOf.get(fromNumber)?.turns.length ?? 0)),
      ),
    ),
    turnsInterrupted: sumOf(
      details.map(({ transcript }) => transcript.filter((item) => item.interrupted === true).length),
    ),
    callsFailed: failures.length,
    failures,
  };
}

function failureOf(detail: CallDetail | undefined): string | undefined {
  if (detail === undefined) return "unknown to the API";
  const { status, endReason, endDetail } = detail;
  if (status === "completed" && endReason === "user_hangup") return undefined;
  return `${status} ${endReason} ${endDetail ?? ""}`.trim();
}
