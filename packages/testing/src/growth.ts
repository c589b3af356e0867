import assert from "node:assert/strict";

/** Doubled input takes twice the time if the work is linear, four times if it is quadratic. */
const MAX_RATIO = 3.2;
/** Shorter runs are noise. A quadratic scan of the default length takes hundreds of milliseconds. */
const IGNORED_MS = 15;
/** A longer run fails at once: linear runs take milliseconds. */
const MAX_RUN_MS = 3_000;
const ROUNDS = 25;
/** The first runs are slow until they are compiled, regardless of their growth. */
const MIN_ROUNDS = 4;

/** Processor time of this thread, in milliseconds: other processes, and waiting for a processor, do not add to it. */
export function processorMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Fails if double the input takes far more than double the processor time. Compares the fastest of several runs, so that
 * garbage collection does not change the result.
 *
 * @param inputOf returns an input of about this many characters.
 */
export function assertLinear<Input>(
  what: string,
  inputOf: (length: number) => Input,
  scan: (input: Input) => unknown,
  length = 32_000,
): void {
  const [single, double] = [inputOf(length), inputOf(2 * length)];
  let [singleMs, doubleMs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    singleMs = Math.min(
      singleMs,
      processorMs(() => scan(single)),
    );
    assert.ok(singleMs < MAX_RUN_MS, `${what}: ${singleMs} ms for ${length} characters`);
    doubleMs = Math.min(
      doubleMs,
      processorMs(() => scan(double)),
    );
    if (doubleMs < IGNORED_MS) return;
    if (round + 1 >= MIN_ROUNDS && doubleMs < MAX_RATIO * singleMs) return;
  }
  assert.fail(`${what}: ${singleMs} ms for ${length} characters, ${doubleMs} ms for twice as many`);
}
