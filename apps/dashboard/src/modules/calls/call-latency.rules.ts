import type { Turn } from "@parley/client";

/** Parts of an answer's time in their order, with their colors. */
export const latencyParts = [
  { name: "endpointingMs", label: "End of turn", color: "var(--mantine-color-gray-5)" },
  { name: "sttMs", label: "Recognition", color: "var(--mantine-color-indigo-5)" },
  { name: "llmFirstTokenMs", label: "Language model", color: "var(--mantine-color-house-6)" },
  { name: "llmFirstClauseMs", label: "First clause", color: "var(--mantine-color-house-3)" },
  { name: "ttsFirstByteMs", label: "Voice", color: "var(--mantine-color-orange-5)" },
  { name: "overheadMs", label: "Parley", color: "var(--mantine-color-red-4)" },
] as const satisfies readonly { name: keyof Turn; label: string; color: string }[];

/** Time of a turn that no part accounts for: waits and preparation of earlier versions. */
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
