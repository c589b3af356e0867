/** Milliseconds of `process.hrtime`, which all processes of a machine share, for an instant of `performance.now`. */
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export function sharedClockMs(performanceMs: number): number {
  return performanceMs + offsetMs;
}
