import { readdir, readFile } from "node:fs/promises";
import { sumOf } from "./statistics.ts";

/** `USER_HZ`: the unit that Linux reports to programs on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;

/** Linux process as reported by `/proc`. */
interface ProcessSample {
  pid: number;
  parentPid: number;
  command: string;
  cpuSeconds: number;
}

/** A process and all its descendants. */
export async function processTree(rootPid: number): Promise<ProcessSample[]> {
  const names = await readdir("/proc");
  const samples = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => sample(Number(name))),
  );
  const found = samples.filter((each) => each !== undefined);
  const family = new Set([rootPid]);
  for (let before = 0; before < family.size;) {
    before = family.size;
    for (const { pid, parentPid } of found) if (family.has(parentPid)) family.add(pid);
  }
  return found.filter(({ pid }) => family.has(pid));
}

async function sample(pid: number): Promise<ProcessSample | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    // The second field is the name in parentheses, which may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      pid,
      parentPid: Number(fields[1]),
      command: command.replaceAll("\0", " "),
      cpuSeconds: ticks / TICKS_PER_SECOND,
    };
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}

/** Processor time used by one process. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  return (await sample(pid))?.cpuSeconds ?? 0;
}

/** Processor time of the whole machine over all its cores. */
export interface MachineCpu {
  /** Used by all processes. */
  usedSeconds: number;
  /** Time in which a process was ready to run while the host ran another machine. */
  stolenSeconds: number;
}

export async function machineCpu(): Promise<MachineCpu> {
  const [line = ""] = (await readFile("/proc/stat", "utf8")).split("\n");
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return {
    usedSeconds: (user + nice + system + interrupts + softInterrupts) / TICKS_PER_SECOND,
    stolenSeconds: stolen / TICKS_PER_SECOND,
  };
}

export interface ProcessMemory {
  rssMiB: number;
  /** Like `rssMiB`, with each shared page divided by the number of processes that share it. */
  pssMiB: number;
}

/** Total memory of several processes. */
export async function memoryOf(pids: readonly number[]): Promise<ProcessMemory> {
  const rollups = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "")),
  );
  const total = (field: string): number =>
    sumOf(rollups.map((text) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0))) / 1024;
  return { rssMiB: total("Rss"), pssMiB: total("Pss") };
}
