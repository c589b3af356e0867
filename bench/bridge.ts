/**
 * Processor time and pacing of calls that this node has connected with a person (transfers without REFER), in one media process
 * alone.
 *
 *     npm run bench -- bridge [--json] [--calls 50] [--minutes 10] [--noise-suppression]
 *
 * Two telephones per call in this process send recorded speech for 40 % of the time over RTP. With `--noise-suppression`, the
 * person hears the caller without noise, as with `noiseCancellation: "on"`. A bare relay of the
 * same packets is measured before. Fails if a telephone hears less than 99 % of the packets due.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { LAG_BOUNDS_MS } from "../packages/rtp/src/index.ts";
import { BridgedCalls } from "./bridge/bridged-calls.ts";
import type { ProvidersMethods } from "./calls/providers-process.ts";
import { startMediaProcess } from "./media/media-process.ts";
import { threadSeconds } from "./media/thread-time.ts";
import type { RelayMethods } from "./bridge/relay-process.ts";
import { Peer } from "./support/peer.ts";
import { rounded, sumOf } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const FRAMES_PER_SECOND = 50;
const WARM_UP_MS = 5_000;
const RELAY_SECONDS = 15;
/** Goals. */
const MAX_PACING_P99_MS = 5;
const MAX_CORE_PERCENT = 0.2;
const MIN_HEARD_PERCENT = 99;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "50" },
    minutes: { type: "string", default: "10" },
    "noise-suppression": { type: "boolean", default: false },
  },
});
const calls = Number(options.calls);
const minutes = Number(options.minutes);

/** Bound of the class of lateness in which this share of the packets lies. */
function percentileBoundMs(counts: readonly number[], share: number): number {
  const rank = share * sumOf(counts);
  let below = 0;
  const at = counts.findIndex((count) => (below += count) >= rank);
  return LAG_BOUNDS_MS[at] ?? Infinity;
}

const cpuSecondsOf = async (pid: number): Promise<number> =>
  sumOf([...(await threadSeconds(pid)).values()].map(({ cpuSeconds }) => cpuSeconds));

/** Share of a core per call of a process that only passes datagrams on. */
async function measureRelay(): Promise<number> {
  const relay = new Peer<RelayMethods>(new URL("bridge/relay-process.ts", import.meta.url));
  const relayed = await BridgedCalls.onRelay(relay, calls);
  try {
    await sleep(WARM_UP_MS);
    const [before, startedAtMs] = [await cpuSecondsOf(relay.pid), performance.now()];
    await sleep(RELAY_SECONDS * 1000);
    const cpuSeconds = (await cpuSecondsOf(relay.pid)) - before;
    return (100_000 * cpuSeconds) / (performance.now() - startedAtMs) / calls;
  } finally {
    await relayed.close();
    await relay.close();
  }
}

const yardstick = new Yardstick();
const relayPercent = await measureRelay();
const providers = new Peer<ProvidersMethods>(new URL("calls/providers-process.ts", import.meta.url));
const tree = pathToFileURL(`${process.cwd()}/`);
const media = await startMediaProcess(tree, await providers.ask("start", undefined));
const bridged = await BridgedCalls.onMedia(media, calls, options["noise-suppression"]);
try {
  await sleep(WARM_UP_MS);
  const [cpuBefore, lagsBefore, heardBefore] = [
    await cpuSecondsOf(media.pid),
    media.pool.lagCounts,
    bridged.received,
  ];
  const startedAtMs = performance.now();
  await sleep(minutes * 60_000);
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  const cpuSeconds = (await cpuSecondsOf(media.pid)) - cpuBefore;
  const due = elapsedSeconds * FRAMES_PER_SECOND;
  const heard = bridged.received.map((count, index) => (100 * (count - (heardBefore[index] ?? 0))) / due);
  const lags = media.pool.lagCounts.map((count, bound) => count - (lagsBefore[bound] ?? 0));
  const corePercent = (100 * cpuSeconds) / elapsedSeconds / calls;
  const pacingP99Ms = percentileBoundMs(lags, 0.99);
  const leastHeardPercent = Math.min(...heard);
  const row = {
    calls,
    minutes,
    // Upper bound of the class of lateness.
    pacingP99Ms: rounded(pacingP99Ms),
    corePctPerCall: rounded(corePercent, 3),
    relayCorePctPerCall: rounded(relayPercent, 3),
    timesRelay: rounded(corePercent / relayPercent),
    leastHeardPct: rounded(leastHeardPercent),
    faults: media.counts.faults,
    meetsGoals: pacingP99Ms <= MAX_PACING_P99_MS && corePercent <= MAX_CORE_PERCENT,
  };
  console.table([row]);
  const report = yardstick.finish({ "a second of a bridged call": corePercent * 10 });
  if (options.json) console.log(JSON.stringify({ ...row, ...report }));
  process.exitCode = media.counts.faults === 0 && leastHeardPercent >= MIN_HEARD_PERCENT ? 0 : 1;
} finally {
  await bridged.close();
  await media.close();
  await providers.close();
}
