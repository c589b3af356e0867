/**
 * Processor time of one media process alone, without the other processes of the platform: a light bench to compare two
 * states of the code by turns.
 *
 *     npm run bench -- media [--json] [--calls 50] [--seconds 10] [--warm-up 12] [--tree DIRECTORY]
 *
 * Callers in this process send recorded speech for 40 % of the time over RTP; the providers are the scripted ones of
 * `bench calls`. Times are processor microseconds per call and frame of 20 ms. With `--tree`, the media process of
 * another checkout is measured.
 */
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { LAG_BOUNDS_MS } from "../packages/rtp/src/index.ts";
import type { ProvidersMethods } from "./calls/providers-process.ts";
import { MediaCallers } from "./media/media-callers.ts";
import { startMediaProcess } from "./media/media-process.ts";
import { threadSeconds } from "./media/thread-time.ts";
import { Peer } from "./support/peer.ts";
import { rounded, sumOf } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const FRAMES_PER_SECOND = 50;
/** A node refuses calls if more than one frame in a hundred is later than this. */
const LATE_MS = 5;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "50" },
    seconds: { type: "string", default: "10" },
    "warm-up": { type: "string", default: "12" },
    tree: { type: "string", default: "." },
  },
});
const calls = Number(options.calls);
const seconds = Number(options.seconds);

const yardstick = new Yardstick();
const providers = new Peer<ProvidersMethods>(new URL("calls/providers-process.ts", import.meta.url));
const tree = pathToFileURL(`${path.resolve(options.tree)}/`);
const media = await startMediaProcess(tree, await providers.ask("start", undefined));
const callers = await MediaCallers.place(media, calls);
try {
  await sleep(Number(options["warm-up"]) * 1000);
  const [threadsBefore, lagsBefore, turnsBefore] = [
    await threadSeconds(media.pid),
    media.pool.lagCounts,
    media.counts.turns,
  ];
  const [callersBefore, startedAtMs] = [process.cpuUsage(), performance.now()];
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(callersBefore);
  const frames = (calls * FRAMES_PER_SECOND * (performance.now() - startedAtMs)) / 1000;
  const threads = await threadSeconds(media.pid);
  const perFrame = (usedSeconds: number): number => (usedSeconds * 1e6) / frames;
  const byThread = new Map<string, number>();
  for (const [id, { name, cpuSeconds }] of threads) {
    const used = cpuSeconds - (threadsBefore.get(id)?.cpuSeconds ?? 0);
    byThread.set(name, (byThread.get(name) ?? 0) + perFrame(used));
  }
  const lags = media.pool.lagCounts.map((count, bound) => count - (lagsBefore[bound] ?? 0));
  const late = sumOf(lags.slice(LAG_BOUNDS_MS.indexOf(LATE_MS) + 1));
  const total = sumOf(byThread.values());
  const callersMicroseconds = (user + system) / frames;
  const row = {
    calls,
    seconds,
    microseconds: rounded(total, 1),
    timesCallers: rounded(total / callersMicroseconds),
    callersMicroseconds: rounded(callersMicroseconds, 1),
    latePercent: rounded((100 * late) / sumOf(lags)),
    turns: media.counts.turns - turnsBefore,
    faults: media.counts.faults,
  };
  const threadRow = Object.fromEntries([...byThread].map(([name, value]) => [name, rounded(value, 1)]));
  console.table([row]);
  console.table([threadRow]);
  const report = yardstick.finish({ "a second of a call": (total * FRAMES_PER_SECOND) / 1000 });
  if (options.json) console.log(JSON.stringify({ ...row, threads: threadRow, ...report }));
  process.exitCode = media.counts.faults === 0 ? 0 : 1;
} finally {
  await callers.close();
  await media.close();
  await providers.close();
}
