import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Results of a number of calls at a steady rate, as measured by SIPp's calling side. */
export interface LoadResult {
  calls: number;
  failed: number;
  /** Retransmissions of any message: a message was lost, or later than 500 ms (RFC 3261 §17.1.1.2). */
  retransmissions: number;
  /** Lower than requested if SIPp itself could not keep up. */
  callsPerSecond: number;
  /** Times from INVITE to 200; whole milliseconds, as measured by SIPp. */
  setUpMs: number[];
}

const GRACE_SECONDS = 45;

/**
 * Places calls (INVITE with SDP, ACK, BYE at once) at a steady rate and waits for the last to end.
 *
 * @throws Error if SIPp is not installed or writes no statistics.
 */
export async function placeCalls(
  to: { address: string; port: number },
  callsPerSecond: number,
  seconds: number,
  core: number | undefined,
): Promise<LoadResult> {
  const directory = await mkdtemp(join(tmpdir(), "parley-sipp-"));
  try {
    const calls = Math.round(callsPerSecond * seconds);
    const args = [
      [`${to.address}:${to.port}`, "-sn", "uac", "-i", to.address, "-nostdin"],
      ["-r", String(callsPerSecond), "-m", String(calls), "-l", String(calls), "-d", "0"],
      ["-timeout", `${seconds + GRACE_SECONDS}s`, "-timer_resol", "1"],
      ["-trace_stat", "-stf", "statistics.csv", "-fd", "1", "-trace_rtt", "-rtt_freq", "1000"],
    ].flat();
    const [command, ...rest] =
      core === undefined ? ["sipp", ...args] : ["taskset", "-c", String(core), "sipp", ...args];
    await once(spawn(command ?? "", rest, { stdio: "ignore", cwd: directory }), "exit");
    return await readResult(directory, calls);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readResult(directory: string, calls: number): Promise<LoadResult> {
  const lines = (await readFile(join(directory, "statistics.csv"), "utf8")).trim().split("\n");
  const names = lines[0]?.split(";") ?? [];
  const values = lines.at(-1)?.split(";") ?? [];
  const last = (name: string): number => Number(values[names.indexOf(name)]);
  const rttFile = (await readdir(directory)).find((file) => file.endsWith("_rtt.csv"));
  const rtts = rttFile === undefined ? "" : await readFile(join(directory, rttFile), "utf8");
  const setUpMs = [...rtts.matchAll(/^[\d.]+;([\d.]+);/gm)].map((match) => Number(match[1]));
  return {
    calls,
    failed: calls - last("SuccessfulCall(C)"),
    retransmissions: last("Retransmissions(C)"),
    callsPerSecond: last("CallRate(C)"),
    setUpMs,
  };
}
