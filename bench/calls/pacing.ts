import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../e2e/support/platform.ts";

/** The gauge covers as much. */
const WINDOW_MS = 10_000;

/** Packet sent against due, by the media processes' own wheels. */
export interface Pacing {
  /** Of all packets. */
  p99Ms: number;
  /** The largest p99 of any 10 s, the worst process's. */
  worstP99Ms: number;
}

/** Measures until then; at least once. */
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

/** How late the media processes' packets were: p99 of the last 10 s, the worst process's. */
export async function wheelLagP99Ms(platform: Platform): Promise<number> {
  return 1000 * (await platform.metric("parley_media_wheel_lag_p99_seconds"));
}

/** How many packets were at most so late, by seconds (`Infinity`: all), since the platform's start. */
async function frameCounts(platform: Platform): Promise<Map<number, number>> {
  const text = await (await fetch(`${platform.url}/metrics`)).text();
  const lines = text.matchAll(/^parley_media_frames_total\{le="([^"]+)"\} (\S+)$/gm);
  return new Map([...lines].map(([, le, count]) => [le === "+Inf" ? Infinity : Number(le), Number(count)]));
}

/** Of those counted in between; between two bounds in proportion, NaN without packets. */
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
