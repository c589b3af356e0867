import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../e2e/support/platform/platform.ts";

/** Window of the gauge. */
const WINDOW_MS = 10_000;

/** Lateness of sent packets against their due times, measured by the media processes' own wheels. */
export interface Pacing {
  /** Over all packets. */
  p99Ms: number;
  /** Largest p99 of any 10 s, of the worst process. */
  worstP99Ms: number;
}

/** Measures until `untilMs`, at least once. */
export async function watchPacing(platform: Platform, untilMs: number): Promise<Pacing> {
  const before = await frameCounts(platform);
  const lagsMs: number[] = [];
  while (lagsMs.length === 0 || performance.now() < untilMs) {
    await sleep(Math.min(WINDOW_MS, Math.max(0, untilMs - performance.now())));
    lagsMs.push(await wheelLagP99Ms(platform));
  }
  const p99Ms = percentileMs(before, await frameCounts(platform), 0.99);
  return { p99Ms, worstP99Ms: Math.max(...lagsMs) };
}

/** p99 lateness of the media processes' packets in the last 10 s, of the worst process. */
export async function wheelLagP99Ms(platform: Platform): Promise<number> {
  return 1000 * (await platform.metric("parley_media_wheel_lag_p99_seconds"));
}

/** Cumulative number of packets since the platform's start by their lateness in seconds (`Infinity`: all). */
async function frameCounts(platform: Platform): Promise<Map<number, number>> {
  const text = await (await fetch(`${platform.url}/metrics`)).text();
  const lines = text.matchAll(/^parley_media_frames_total\{le="([^"]+)"\} (\S+)$/gm);
  return new Map([...lines].map(([, le, count]) => [le === "+Inf" ? Infinity : Number(le), Number(count)]));
}

/** Percentile of the packets counted in between, interpolated between two bounds; NaN without packets. */
function percentileMs(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  share: number,
): number {
  const since = [...after].map(([le, count]) => [1000 * le, count - (before.get(le) ?? 0)] as const);
  const rank = share * (since.at(-1)?.[1] ?? 0);
  let [lowMs, below] = [0, 0];
  for (const [boundMs, count] of since) {
    if (count >= rank && count > below)
      return boundMs === Infinity ? lowMs : lowMs + ((boundMs - lowMs) * (rank - below)) / (count - below);
    [lowMs, below] = [boundMs, count];
  }
  return Number.NaN;
}
