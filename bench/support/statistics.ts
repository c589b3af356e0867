/** Smallest value that at least the given share of the values (0–1) does not exceed; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Rounds for tables and JSON; a value that could not be measured is `null`, as in JSON. */
export function rounded(value: number, digits = 2): number | null {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}
