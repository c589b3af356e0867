/**
 * Converts an instant of `performance.now` to milliseconds of `process.hrtime`, which all processes of a machine share.
 */
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export function sharedClockMs(performanceMs: number): number {
  return performanceMs + offsetMs;
}
