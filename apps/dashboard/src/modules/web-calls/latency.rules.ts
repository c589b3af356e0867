import type { Turn } from "@parley/client";

/** Parts of an answer's time in their order, with their colors. They add up to the total. */
export const latencyParts = [
  { name: "endpointingMs", label: "End of turn", color: "var(--mantine-color-gray-5)" },
  { name: "sttMs", label: "Recognition", color: "var(--mantine-color-indigo-5)" },
  { name: "llmFirstTokenMs", label: "Language model", color: "var(--mantine-color-house-6)" },
  { name: "toolMs", label: "Tools", color: "var(--mantine-color-grape-5)" },
  { name: "llmFirstClauseMs", label: "First clause", color: "var(--mantine-color-house-3)" },
  { name: "ttsFirstByteMs", label: "Voice", color: "var(--mantine-color-orange-5)" },
  { name: "waitMs", label: "Waiting", color: "var(--mantine-color-yellow-4)" },
  { name: "overheadMs", label: "Parley", color: "var(--mantine-color-red-4)" },
] as const satisfies readonly { name: keyof Turn; label: string; color: string }[];

/** Time of a turn that no part accounts for, in the records of earlier versions. */
export const restPart = { name: "rest", label: "Rest", color: "var(--mantine-color-gray-3)" } as const;

/** Differences by rounding are no rest. */
const NEGLIGIBLE_MS = 1;

export interface LatencySegment {
  label: string;
  color: string;
  ms: number;
}

/** The parts of a turn that took time. They add up to the total: what no part accounts for is the rest. */
export function segmentsOf(turn: Turn): LatencySegment[] {
  const parts = latencyParts.map(({ name, ...look }) => ({ ...look, ms: turn[name] ?? 0 }));
  const known = parts.reduce((sum, { ms }) => sum + ms, 0);
  const { label, color } = restPart;
  const rest = { label, color, ms: (turn.totalMs ?? known) - known };
  return [...parts, ...(rest.ms > NEGLIGIBLE_MS ? [rest] : [])].filter(({ ms }) => ms > 0);
}

/** The bars' scale: what the longest needs, and never so short that an ordinary answer looks slow. */
export function scaleOf(turns: readonly Turn[]): number {
  const longestMs = Math.max(0, ...turns.map(({ totalMs }) => totalMs ?? 0));
  return Math.max(2000, Math.ceil(longestMs / 1000) * 1000);
}

/** Median of the answers' total times; `undefined` if none was measured. */
export function medianOf(turns: readonly Turn[]): number | undefined {
  const sorted = turns.flatMap(({ totalMs }) => totalMs ?? []).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return below === undefined || above === undefined ? undefined : (below + above) / 2;
}

export function formatMs(durationMs: number): string {
  return `${Math.round(durationMs).toLocaleString("en")} ms`;
}
