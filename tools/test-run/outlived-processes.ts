import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_INTERVAL_MS = 100;

export interface OutlivedProcess {
  pid: number;
  command: string;
}

/** Processes with `variable=value` in their environment. Linux only: empty on systems without /proc. */
async function findProcesses(variable: string, value: string): Promise<OutlivedProcess[]> {
  const entries = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (pid) => {
        // A process may end, or belong to someone else, between the listing and the reading.
        const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
        if (!environment.split("\0").includes(`${variable}=${value}`)) return [];
        const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
        // A zombie has no command line: its parent has yet to read its exit code.
        return command === "" ? [] : [{ pid: Number(pid), command: command.split("\0").join(" ").trim() }];
      }),
  );
  return found.flat();
}

/** Ends the processes that are still alive `graceMs` after their test file, and returns them. */
export async function endOutlivedProcesses(
  variable: string,
  value: string,
  graceMs: number,
): Promise<OutlivedProcess[]> {
  const deadline = performance.now() + graceMs;
  let alive = await findProcesses(variable, value);
  while (alive.length > 0 && performance.now() < deadline) {
    await sleep(POLL_INTERVAL_MS);
    alive = await findProcesses(variable, value);
  }
  for (const { pid } of alive) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  return alive;
}
