import { percentile, rounded } from "./statistics.ts";

const ROUNDS = 15;
const LOOP_STEPS = 2_000_000;

interface YardstickFigures {
  /** Processor time of the loop when the bench started, when it ended, and the mean of both. */
  startMs: number | null;
  endMs: number | null;
  meanMs: number | null;
  /** How much slower the loop was at the end than at the start; negative: faster. */
  driftPercent: number | null;
}

/** Fields that every bench adds to its JSON. */
interface YardstickReport {
  yardstick: YardstickFigures;
  /** Each figure in units of `yardstick.meanMs`; `null` if the bench has no value for it. */
  timesYardstick: Record<string, number | null>;
}

/**
 * A fixed processor loop, measured at the start and at the end of a bench. Figures in units of its time can be compared between
 * machines; the difference between start and end shows how much the machine changed meanwhile.
 */
export class Yardstick {
  readonly #startMs = measureLoopMs();

  /**
   * Measures the loop again and prints it with the figures.
   *
   * @param figuresMs Times in milliseconds, by name: processor time or wall time of one unit of work.
   */
  finish(figuresMs: Readonly<Record<string, number | null>>): YardstickReport {
    const endMs = measureLoopMs();
    const meanMs = (this.#startMs + endMs) / 2;
    const yardstick = {
      startMs: rounded(this.#startMs),
      endMs: rounded(endMs),
      meanMs: rounded(meanMs),
      driftPercent: rounded(100 * (endMs / this.#startMs - 1), 1),
    };
    const timesYardstick: Record<string, number | null> = {};
    for (const [name, ms] of Object.entries(figuresMs))
      timesYardstick[name] =
        ms === null || !Number.isFinite(ms) ? null : Number((ms / meanMs).toPrecision(3));
    console.log(
      `Yardstick: ${yardstick.startMs} ms at the start, ${yardstick.endMs} ms at the end (${yardstick.driftPercent} %).`,
    );
    for (const [name, times] of Object.entries(timesYardstick))
      console.log(`  ${name}: ${times} × yardstick`);
    return { yardstick, timesYardstick };
  }
}

/** Median processor time of the loop on one core. The first rounds compile it. */
function measureLoopMs(): number {
  const roundsMs = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    loop();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return percentile(roundsMs, 0.5);
}

/** Integer and floating-point work that depends on itself and stays in the processor's registers. */
function loop(): number {
  let integer = 1;
  let float = 1;
  for (let step = 0; step < LOOP_STEPS; step++) {
    integer = (Math.imul(integer, 1_664_525) + 1_013_904_223) | 0;
    float = Math.sqrt(float + (integer & 0xff)) + 0.5;
  }
  return integer + float;
}
