import { readdirSync, readFileSync } from "node:fs";

export interface RunningProcess {
  pid: number;
  parentPid: number;
  /** The arguments, separated by spaces. */
  command: string;
}

/** Returns whether the process exists and has not ended. A zombie has ended. */
export function isRunning(pid: number): boolean {
  return readProcess(pid) !== undefined;
}

/** Returns all descendants of a process, as Linux lists them. */
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
    // The name in parentheses may contain anything, so fields are counted after it: state, then the parent.
    const [state, parentPid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
    return { pid, parentPid: Number(parentPid), command };
  } catch {
    return undefined;
  }
}
