import type { Turn } from "@parley/client";

/** Parts of an answer's time, in their order. They add up to the total. */
export const latencyParts: readonly (readonly [keyof Omit<Turn, "id" | "totalMs">, string])[] = [
  ["endpointingMs", "End of turn"],
  ["sttMs", "Recognition"],
  ["llmFirstTokenMs", "Language model"],
  ["llmFirstClauseMs", "First clause"],
  ["ttsFirstByteMs", "Voice"],
  ["overheadMs", "Parley"],
];

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
