/** Plan of one load. */
export interface PlannedLoad {
  calls: number;
  seconds: number;
}

export interface LoadTimes {
  /** Maximum time for clearing up the previous load. */
  restSeconds: number;
  /** Time for measuring the load. */
  seconds: number;
}

const SECONDS_PER_CALL_PLACED = 0.1;
/** Time for greetings before the measurement, and for last sentences and reading results after it. */
const SECONDS_AROUND_LOAD = 45;
const MIN_SECONDS = 10;
export const MAX_REST_SECONDS = 120;

/**
 * Schedules the next load so that the bench ends in time on a slow machine too: as planned if the remaining time
 * permits, otherwise in proportion, with at least 10 s of measurement. Clearing up gets the time that measuring leaves.
 *
 * @param planned The next load and those after it.
 * @param secondsLeft Seconds until the end of the bench.
 */
export function scheduleLoad(planned: readonly PlannedLoad[], secondsLeft: number): LoadTimes {
  const [next] = planned;
  if (next === undefined) throw new Error("no load is planned");
  const around = planned.reduce(
    (sum, { calls }) => sum + SECONDS_AROUND_LOAD + calls * SECONDS_PER_CALL_PLACED,
    0,
  );
  const wanted = planned.reduce((sum, { seconds }) => sum + seconds, 0);
  const free = Math.max(0, secondsLeft - around);
  const share = Math.floor((next.seconds * free) / wanted);
  return {
    restSeconds: Math.min(MAX_REST_SECONDS, Math.max(0, free - wanted)),
    seconds: Math.min(next.seconds, Math.max(MIN_SECONDS, share)),
  };
}
