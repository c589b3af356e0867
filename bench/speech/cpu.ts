import { processTree } from "../support/processes.ts";
import { sumOf } from "../support/statistics.ts";

/** Processor seconds of a piece of work, in this process and in the child processes that existed before it. */
export async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const before = await processTree(process.pid);
  await work();
  const known = new Set(before.map(({ pid }) => pid));
  const after = (await processTree(process.pid)).filter(({ pid }) => known.has(pid));
  const total = (samples: typeof before): number => sumOf(samples.map(({ cpuSeconds }) => cpuSeconds));
  return total(after) - total(before);
}
