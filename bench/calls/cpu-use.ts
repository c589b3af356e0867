import type { Platform } from "../../e2e/support/platform/platform.ts";
import { cpuSecondsOf, machineCpu, type MachineCpu } from "../support/processes.ts";
import { sumOf } from "../support/statistics.ts";
import {
  cpuSecondsBetween,
  type PerPart,
  perPart,
  platformCpu,
  type PlatformCpu,
} from "./platform-processes.ts";

/** Processor seconds used up to a moment. */
export interface CpuReading {
  atMs: number;
  platform: PlatformCpu;
  callers: number;
  providers: number;
  machine: MachineCpu;
}

/** Percentages of one core. */
interface CpuUse {
  parts: PerPart;
  platform: number;
  callers: number;
  providers: number;
  /** Used by other processes of the machine, and by the platform's processes that have ended. */
  others: number;
  /** Taken by the host's other machines while this one had work. A large value degrades all results. */
  stolen: number;
}

export async function readCpu(processes: {
  platform: Platform;
  callers: { pid: number };
  providers: { pid: number };
}): Promise<CpuReading> {
  const [platform, callers, providers, machine] = await Promise.all([
    platformCpu(processes.platform.process.pid ?? 0),
    cpuSecondsOf(processes.callers.pid),
    cpuSecondsOf(processes.providers.pid),
    machineCpu(),
  ]);
  return { atMs: performance.now(), platform, callers, providers, machine };
}

export function cpuUseBetween(before: CpuReading, after: CpuReading): CpuUse {
  const percent = (usedSeconds: number): number => (100 * usedSeconds) / ((after.atMs - before.atMs) / 1000);
  const used = cpuSecondsBetween(before.platform, after.platform);
  const parts = perPart((part) => percent(used[part]));
  const platform = sumOf(Object.values(parts));
  const callers = percent(after.callers - before.callers);
  const providers = percent(after.providers - before.providers);
  const machine = percent(after.machine.usedSeconds - before.machine.usedSeconds);
  return {
    parts,
    platform,
    callers,
    providers,
    others: Math.max(0, machine - platform - callers - providers),
    stolen: percent(after.machine.stolenSeconds - before.machine.stolenSeconds),
  };
}
