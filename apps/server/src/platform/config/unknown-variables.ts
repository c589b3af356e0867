import { keysOf } from "@parley/contract/keys";
import type { Environment } from "./environment-reader.ts";
import { type VariableName, variables } from "./variables.ts";

/** Returns one line for each unknown variable whose name begins with `PARLEY_`. */
export function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("PARLEY_") && !Object.hasOwn(variables, name))
    .map((name) => {
      const nearest = nearestVariable(name);
      return `${name} is not a known variable${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
    });
}

/** Returns the known name nearest to a misspelled one. */
function nearestVariable(name: string): VariableName | undefined {
  const known = keysOf(variables).map((each) => ({ each, distance: distance(name, each) }));
  const nearest = known.sort((a, b) => a.distance - b.distance)[0];
  return nearest !== undefined && nearest.distance <= name.length / 3 ? nearest.each : undefined;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
