import { isIPv4 } from "node:net";
import type { CallLatency, Turn } from "@parley/contract";

/**
 * Whom our audio will go to, to find the address of ours that is to stand in SDP: where the signalling comes from, and
 * where that is IPv6 what the offer says, since audio is carried over IPv4 only. Undefined: no audio is possible.
 */
export function findMediaPeer(sourceAddress: string, offer: string): string | undefined {
  if (isIPv4(sourceAddress)) return sourceAddress;
  return /^c=IN IP4 (\d{1,3}(?:\.\d{1,3}){3})/m.exec(offer)?.[1];
}

/** Begun seconds from the answer to the end; a call that was never answered costs nothing. */
export function countBillableSeconds(answeredAt: Date | null, endedAt: Date): number {
  if (answeredAt === null) return 0;
  return Math.max(0, Math.ceil((endedAt.getTime() - answeredAt.getTime()) / 1000));
}

/** p50 and p95 of each part over the turns in which it was measured; null where there are no turns. */
export function summarizeLatency(turns: readonly Turn[]): CallLatency | null {
  if (turns.length === 0) return null;
  return {
    endpointingMs: summarize(turns.map((turn) => turn.endpointingMs)),
    sttMs: summarize(turns.map((turn) => turn.sttMs)),
    llmFirstTokenMs: summarize(turns.map((turn) => turn.llmFirstTokenMs)),
    ttsFirstByteMs: summarize(turns.map((turn) => turn.ttsFirstByteMs)),
    overheadMs: summarize(turns.map((turn) => turn.overheadMs)),
    totalMs: summarize(turns.map((turn) => turn.totalMs)),
  };
}

function summarize(values: readonly (number | null)[]): { p50: number; p95: number } | null {
  const measured = values.filter((value) => value !== null).sort((a, b) => a - b);
  return measured.length === 0 ? null : { p50: percentile(measured, 0.5), p95: percentile(measured, 0.95) };
}

/** Nearest rank: a value that was really measured. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
