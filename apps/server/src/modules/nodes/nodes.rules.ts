/** `starting`, `full` and `draining` nodes take no calls. */
export type NodeState = "starting" | "ready" | "full" | "draining";

export const BEAT_INTERVAL_MS = 2_000;
/** A node that is silent for longer has lost its calls. */
export const SILENCE_LIMIT_MS = 10_000;

export interface NodeLoad {
  isDraining: boolean;
  isReady: boolean;
  activeCalls: number;
  freePlaces: number;
}

export function stateOf({ isDraining, isReady, freePlaces }: NodeLoad): NodeState {
  if (isDraining) return "draining";
  if (!isReady) return "starting";
  return freePlaces > 0 ? "ready" : "full";
}

/**
 * A node's own uninterrupted beats, in monotonic milliseconds. A node that could not beat cannot judge which
 * others could: after a start, and after an outage of the database, every node looks silent.
 */
export interface BeatSeries {
  readonly sinceMs: number;
  readonly lastMs: number;
}

export function withBeat(series: BeatSeries | undefined, atMs: number): BeatSeries {
  const isUnbroken = series !== undefined && atMs - series.lastMs < SILENCE_LIMIT_MS / 2;
  return { sinceMs: isUnbroken ? series.sinceMs : atMs, lastMs: atMs };
}

/** Returns whether a node with this series may judge that others are silent. */
export function mayJudge(series: BeatSeries): boolean {
  return series.lastMs - series.sinceMs >= SILENCE_LIMIT_MS;
}
