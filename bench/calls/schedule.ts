/** What is planned for one load. */
export interface PlannedLoad {
  calls: number;
  seconds: number;
}

export interface LoadTimes {
  /** How long the load before it may take to be cleared up. */
  restSeconds: number;
  /** How long the load is measured. */
  seconds: number;
}

const SECONDS_PER_CALL_PLACED = 0.1;
/** Greetings are said before anything is measured; last sentences and the reading of results come after it. */
const SECONDS_AROUND_LOAD = 45;
const MIN_SECONDS = 10;
export const MAX_REST_SECONDS = 120;

/**
 * The times of the next load, so that the whole bench ends in time on a slow machine too: as planned if the time that is left
 * permits it, else in proportion, and never below 10 s. Clearing up takes only what measuring leaves over.
 *
 * @param planned The next load and those after it.
 * @param secondsLeft Until the end of the bench.
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
