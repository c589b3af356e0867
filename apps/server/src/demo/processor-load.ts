import { cpus } from "node:os";

/** Measures the load of all processors from its creation on. */
export class ProcessorLoad {
  readonly #before = processorTimes();

  /** Share (0–1) of the processors' time used so far; 0 if no time has passed. */
  busyShare(): number {
    const now = processorTimes();
    const all = now.all - this.#before.all;
    return all === 0 ? 0 : 1 - (now.idle - this.#before.idle) / all;
  }
}

function processorTimes(): { all: number; idle: number } {
  const times = cpus().map((each) => each.times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { all: sum(times.flatMap((each) => Object.values(each))), idle: sum(times.map(({ idle }) => idle)) };
}
