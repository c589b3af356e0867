/**
 * Calls set up and ended per second by the answering side on one core: by Parley's user agent and, to show the
 * machine's share of the figures, by `sip@0.0.6`, which answers the same messages without storing state.
 *
 *     npm run bench -- sip [--json] [--step CALLS_PER_SECOND] [--seconds N] [--sustain SECONDS]
 *
 * SIPp places the calls (INVITE with SDP → 200 → ACK → BYE → 200) from another process, at rates that increase until
 * the first failed call or retransmission. The last rate before that is then sustained for longer than transactions
 * live (32 s), so that as many end as begin; if that fails, a lower rate is tried.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { ADDRESS, type AnsweringMethods } from "./sip/answering.ts";
import { placeCalls } from "./sip/sipp.ts";
import { Peer } from "./support/peer.ts";
import { cpuSecondsOf, memoryOf } from "./support/processes.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    step: { type: "string", default: "250" },
    seconds: { type: "string", default: "5" },
    sustain: { type: "string", default: "45" },
  },
});
const stepCallsPerSecond = Number(options.step);
const MAX_CALLS_PER_SECOND = 10_000;
/** Share of the requested rate from which SIPp counts as keeping up. */
const KEPT_UP = 0.95;
/** Share of a failed rate that is tried next. */
const RETREAT = 0.8;
const WARM_UP = { callsPerSecond: 100, seconds: 3 };

/** One core for the answering process alone, another for SIPp. */
const cores =
  availableParallelism() > 1 && spawnSync("taskset", ["-V"]).error === undefined
    ? { uas: 0, uac: 1 }
    : undefined;

interface Step {
  callsPerSecond: number;
  seconds: number;
  calls: number;
  failed: number;
  retransmissions: number;
  /** SIPp sent more slowly than requested, so the step does not measure the answering side. */
  isGeneratorSlow: boolean;
  setUpP50Ms: number | null;
  setUpP99Ms: number | null;
  /** Processor time of the answering process. */
  cpuMicrosecondsPerCall: number | null;
  rssMiB: number | null;
}

/** Whether every call succeeded at the requested rate without a retransmission. */
function isSustained({ failed, retransmissions, isGeneratorSlow }: Step): boolean {
  return failed === 0 && retransmissions === 0 && !isGeneratorSlow;
}

async function measure(
  peer: Peer<AnsweringMethods>,
  port: number,
  callsPerSecond: number,
  seconds: number,
): Promise<Step> {
  const cpuBefore = await cpuSecondsOf(peer.pid);
  const load = await placeCalls({ address: ADDRESS, port }, callsPerSecond, seconds, cores?.uac);
  const cpuSeconds = (await cpuSecondsOf(peer.pid)) - cpuBefore;
  const { rssMiB } = await memoryOf([peer.pid]);
  return {
    callsPerSecond,
    seconds,
    calls: load.calls,
    failed: load.failed,
    retransmissions: load.retransmissions,
    isGeneratorSlow: load.callsPerSecond < KEPT_UP * callsPerSecond,
    setUpP50Ms: rounded(percentile(load.setUpMs, 0.5)),
    setUpP99Ms: rounded(percentile(load.setUpMs, 0.99)),
    cpuMicrosecondsPerCall: rounded((1e6 * cpuSeconds) / load.calls, 0),
    rssMiB: rounded(rssMiB, 0),
  };
}

interface Side {
  steps: Step[];
  /** Highest sustained rate; `null` if even the first one failed. */
  sustained: Step | null;
}

async function measureSide(name: string, entry: string): Promise<Side> {
  const peer = new Peer<AnsweringMethods>(new URL(entry, import.meta.url));
  try {
    const port = await peer.ask("listen", undefined);
    if (cores !== undefined) spawnSync("taskset", ["-a", "-pc", String(cores.uas), String(peer.pid)]);
    await measure(peer, port, WARM_UP.callsPerSecond, WARM_UP.seconds);
    const steps: Step[] = [];
    const take = async (rate: number, seconds: number): Promise<Step> => {
      const step = await measure(peer, port, rate, seconds);
      console.log(name, step);
      steps.push(step);
      return step;
    };
    let rate = 0;
    while (rate < MAX_CALLS_PER_SECOND) {
      const step = await take(rate + stepCallsPerSecond, Number(options.seconds));
      if (!isSustained(step)) break;
      rate = step.callsPerSecond;
    }
    while (rate > 0) {
      const step = await take(rate, Number(options.sustain));
      if (isSustained(step)) return { steps, sustained: step };
      rate = stepCallsPerSecond * Math.floor((RETREAT * rate) / stepCallsPerSecond);
    }
    return { steps, sustained: null };
  } finally {
    await peer.close();
  }
}

if (spawnSync("sipp", ["-v"]).error !== undefined) {
  console.error("SIPp is missing: apt-get install sip-tester");
  process.exit(2);
}
const yardstick = new Yardstick();
const library = await measureSide("sip@0.0.6", "sip/library-process.ts");
const parley = await measureSide("Parley", "sip/parley-process.ts");
console.table({ Parley: parley.sustained, "sip@0.0.6": library.sustained });
function cpuMsPerCall({ sustained }: Side): number | null {
  const microseconds = sustained?.cpuMicrosecondsPerCall ?? null;
  return microseconds === null ? null : microseconds / 1000;
}

const report = yardstick.finish({
  "Parley, processor time per call": cpuMsPerCall(parley),
  "sip@0.0.6, processor time per call": cpuMsPerCall(library),
});
if (options.json) {
  const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
  console.log(JSON.stringify({ parley, library, machine, ...report }));
}
