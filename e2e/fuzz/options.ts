import { parseArgs } from "node:util";
import { allTargets } from "./targets/all.ts";
import type { Target } from "./target.ts";

export interface FuzzOptions {
  minutes: number;
  seed: number;
  targets: readonly Target[];
  /** File of a finding; the run then sends only its inputs. */
  replay: string | undefined;
}

/** Throws an error that names the wrong option and what is expected. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "1" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      target: { type: "string", default: allTargets.map(({ name }) => name).join() },
      replay: { type: "string" },
    },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0 && minutes <= 60)) throw new Error("--minutes must be a number above 0, at most 60.");
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error("--seed must be a whole number, 0 or more.");
  const targets = values.target.split(",").map(findTarget);
  return { minutes, seed, targets, replay: values.replay };
}

export function findTarget(name: string): Target {
  const target = allTargets.find((each) => each.name === name);
  if (target !== undefined) return target;
  const names = allTargets.map((each) => each.name).join(", ");
  throw new Error(`There is no target ${name}. Targets: ${names}.`);
}
