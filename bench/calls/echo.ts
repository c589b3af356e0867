import { setTimeout as sleep } from "node:timers/promises";
import { Peer } from "../support/peer.ts";
import { cpuSecondsOf } from "../support/processes.ts";
import { percentile, rounded } from "../support/statistics.ts";
import { NUMBER } from "./api.ts";
import type { CallersMethods } from "./callers-process.ts";
import type { EchoMethods } from "./echo-process.ts";

const ECHO_SECONDS = 15;

/** Results of the bare echo with the same callers. Percentages are of one processor core. */
export interface EchoFigures {
  calls: number;
  seconds: number;
  pacingP99Ms: number | null;
  arrivalJitterP99Ms: number | null;
  cpuPercentPerCall: number | null;
}

/** Places `calls` calls on a process that only echoes their audio. */
export async function measureEcho(callers: Peer<CallersMethods>, calls: number): Promise<EchoFigures> {
  const echo = new Peer<EchoMethods>(new URL("echo-process.ts", import.meta.url));
  try {
    const sipPort = await echo.ask("listen", undefined);
    await callers.ask("place", { calls, to: { number: NUMBER, sipPort } });
    const cpuBefore = await cpuSecondsOf(echo.pid);
    await callers.ask("startRecording", undefined);
    await sleep(ECHO_SECONDS * 1000);
    const { arrivals } = await callers.ask("endRecording", undefined);
    const cpuSeconds = (await cpuSecondsOf(echo.pid)) - cpuBefore;
    const pacingP99Ms = await echo.ask("wheelLagP99Ms", undefined);
    await callers.ask("finish", undefined);
    return {
      calls,
      seconds: ECHO_SECONDS,
      pacingP99Ms: rounded(pacingP99Ms),
      arrivalJitterP99Ms: rounded(percentile(arrivals.latenessMs, 0.99)),
      cpuPercentPerCall: rounded((100 * cpuSeconds) / ECHO_SECONDS / calls, 3),
    };
  } finally {
    await echo.close();
  }
}

/** Processor share per call as a multiple of the echo's. */
export function timesEcho(cpuPercentPerCall: number | null, echo: EchoFigures): number | null {
  if (cpuPercentPerCall === null || echo.cpuPercentPerCall === null) return null;
  return rounded(cpuPercentPerCall / echo.cpuPercentPerCall);
}

/** Processor milliseconds per second, from a share of a core. */
export function msPerSecond(percent: number | null): number | null {
  return percent === null ? null : percent * 10;
}
