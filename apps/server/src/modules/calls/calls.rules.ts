import { type CallLatency, type Turn, latencyPartNames } from "@parley/contract";

/** Begun seconds from the answer to the end; a call that was never answered costs nothing. */
export function countBillableSeconds(answeredAt: Date | null, endedAt: Date): number {
  if (answeredAt === null) return 0;
  return Math.max(0, Math.ceil((endedAt.getTime() - answeredAt.getTime()) / 1000));
}

/** p50 and p95 of each part over the turns in which it was measured; null where there are no turns. */
export function summarizeLatency(turns: readonly Turn[]): CallLatency | null {
  if (turns.length === 0) return null;
  const entries = latencyPartNames.map((part) => {
    const values = turns.map((turn) => turn[part]).filter((value) => value !== null);
    values.sort((a, b) => a - b);
    return [
      part,
      values.length === 0 ? null : { p50: percentile(values, 0.5), p95: percentile(values, 0.95) },
    ] as const;
  });
  return Object.fromEntries(entries) as CallLatency;
}

/** Nearest rank: a value that was really measured. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
