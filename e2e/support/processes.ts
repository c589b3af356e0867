import { readdirSync, readFileSync } from "node:fs";

export interface RunningProcess {
  pid: number;
  parentPid: number;
  /** The arguments with spaces between. */
  command: string;
}

/** Whether the process exists and has not ended; one that nobody has collected yet has ended. */
export function isRunning(pid: number): boolean {
  return readProcess(pid) !== undefined;
}

/** All that a process has started and what these have started, as Linux sees it. */
export function descendantsOf(pid: number): RunningProcess[] {
  const all = readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
  );
  const found: RunningProcess[] = [];
  const parents = [pid];
  for (let parent = parents.shift(); parent !== undefined; parent = parents.shift()) {
    const children = all.filter((each) => each.parentPid === parent);
    found.push(...children);
    parents.push(...children.map((each) => each.pid));
  }
  return found;
}

function readProcess(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything, so the fields are counted from its end: state, then the parent.
    const [state, parentPid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
    return { pid, parentPid: Number(parentPid), command };
  } catch {
    return undefined;
  }
}
