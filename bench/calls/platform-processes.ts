import { memoryOf, processTree } from "../support/processes.ts";
import { sumOf } from "../support/statistics.ts";

/** Parts of a started platform. */
const platformParts = ["main", "media", "inference", "postgres", "other"] as const;
export type PlatformPart = (typeof platformParts)[number];

export type PerPart<T = number> = Record<PlatformPart, T>;

export interface PlatformMemory {
  /** Sum over all processes: shared pages count for each of them. */
  rssMiB: number;
  /** Sum over the Node processes. */
  nodeRssMiB: number;
  /** Counts each shared page once: PostgreSQL's processes share its buffers. */
  postgresPssMiB: number;
  rssMiBByPart: PerPart;
}

/** Processor seconds that each process has used so far. */
export type PlatformCpu = ReadonlyMap<number, { part: PlatformPart; cpuSeconds: number }>;

export async function platformCpu(rootPid: number): Promise<PlatformCpu> {
  const tree = await processTree(rootPid);
  return new Map(
    tree.map((each) => [each.pid, { part: partOf(each, rootPid), cpuSeconds: each.cpuSeconds }]),
  );
}

/** Processor seconds that each part used in between, without processes that ended in between. */
export function cpuSecondsBetween(before: PlatformCpu, after: PlatformCpu): PerPart {
  const used = perPart(() => 0);
  for (const [pid, { part, cpuSeconds }] of after)
    used[part] += cpuSeconds - (before.get(pid)?.cpuSeconds ?? 0);
  return used;
}

export async function platformMemory(rootPid: number): Promise<PlatformMemory> {
  const tree = await processTree(rootPid);
  const memory = await Promise.all(
    platformParts.map(async (part) => {
      const pids = tree.filter((each) => partOf(each, rootPid) === part).map(({ pid }) => pid);
      return [part, await memoryOf(pids)] as const;
    }),
  );
  const byPart = Object.fromEntries(memory);
  const rssMiBByPart = perPart((part) => byPart[part]?.rssMiB ?? 0);
  const rssMiB = sumOf(Object.values(rssMiBByPart));
  return {
    rssMiB,
    nodeRssMiB: rssMiB - rssMiBByPart.postgres,
    postgresPssMiB: byPart["postgres"]?.pssMiB ?? 0,
    rssMiBByPart,
  };
}

function partOf({ pid, command }: { pid: number; command: string }, rootPid: number): PlatformPart {
  if (pid === rootPid) return "main";
  if (command.includes("media-process")) return "media";
  if (command.includes("inference-process")) return "inference";
  return command.includes("postgres") ? "postgres" : "other";
}

export function perPart<T>(figureOf: (part: PlatformPart) => T): PerPart<T> {
  return {
    main: figureOf("main"),
    media: figureOf("media"),
    inference: figureOf("inference"),
    postgres: figureOf("postgres"),
    other: figureOf("other"),
  };
}
