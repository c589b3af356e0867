const BIN_MS = 0.1;
/** The last bin contains all longer lags. */
const MAX_LAG_MS = 100;
const BINS = MAX_LAG_MS / BIN_MS + 1;
const WINDOW_SECONDS = 10;

/** Upper bounds of the counted lags in milliseconds. One more count is for lags above the last bound. */
export const LAG_BOUNDS_MS: readonly number[] = [0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100];

/** Lags of the last 10 s, in one histogram per second, and a count for each bound. */
export class LagStatistics {
  readonly #seconds = Array.from({ length: WINDOW_SECONDS }, () => ({
    second: -1,
    bins: new Uint32Array(BINS),
  }));
  #counts = noCounts();

  /** @param lagMs clamped to 0 to 100. */
  record(lagMs: number, count: number, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    const entry = this.#seconds[second % WINDOW_SECONDS];
    if (entry === undefined) {
      return;
    }
    if (entry.second !== second) {
      entry.second = second;
      entry.bins.fill(0);
    }
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(lagMs / BIN_MS)));
    entry.bins[bin] = (entry.bins[bin] ?? 0) + count;
    let bound = 0;
    while (bound < LAG_BOUNDS_MS.length && lagMs > (LAG_BOUNDS_MS[bound] ?? 0)) bound++;
    this.#counts[bound] = (this.#counts[bound] ?? 0) + count;
  }

  /** @returns Lags recorded since the last call, by `LAG_BOUNDS_MS`; each is counted once. */
  takeCounts(): number[] {
    const counts = this.#counts;
    this.#counts = noCounts();
    return counts;
  }

  /** @returns The lag that the fraction `part` of the records does not exceed, to 0.1 ms; 0 without records. */
  percentileMs(part: number, nowMs: number): number {
    const oldest = Math.floor(nowMs / 1000) - WINDOW_SECONDS;
    const recent = this.#seconds.filter(({ second }) => second > oldest);
    const total = recent.reduce((sum, { bins }) => sum + bins.reduce((count, bin) => count + bin, 0), 0);
    if (total === 0) {
      return 0;
    }
    let bin = -1;
    for (let seen = 0; seen < part * total && bin < BINS;) {
      bin++;
      seen += recent.reduce((sum, { bins }) => sum + (bins[bin] ?? 0), 0);
    }
    return Math.round((bin + 1) * BIN_MS * 10) / 10;
  }
}

function noCounts(): number[] {
  return Array.from({ length: LAG_BOUNDS_MS.length + 1 }, () => 0);
}
