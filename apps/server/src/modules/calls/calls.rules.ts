import { isIP } from "node:net";
import type { CallLatency, CallResultStatus, Turn } from "@parley/contract";

/**
 * Whom our audio will go to, to find the address of ours that is to stand in SDP: where the signaling comes from, which
 * a NAT has not falsified, unless the offer wants audio over the other version of IP.
 */
export function findMediaPeer(sourceAddress: string, offer: string): string {
  const offered = /^c=IN IP[46] (\S+)/m.exec(offer)?.[1] ?? "";
  const isOtherVersion = isIP(offered) !== 0 && isIP(offered) !== isIP(sourceAddress);
  return isOtherVersion && !isNowhere(offered) ? offered : sourceAddress;
}

/** What stands in an offer on hold (RFC 3264 §8.4). */
const isNowhere = (address: string): boolean => address === "0.0.0.0" || address === "::";

/** Begun seconds from the answer to the end; a call that was never answered costs nothing. */
export function countBillableSeconds(answeredAt: Date | null, endedAt: Date): number {
  if (answeredAt === null) return 0;
  return Math.max(0, Math.ceil((endedAt.getTime() - answeredAt.getTime()) / 1000));
}

export interface CallResults {
  recordingStatus: CallResultStatus | null;
  analysisStatus: CallResultStatus | null;
}

/** Whether more is still to be known of the call. */
export function isResultPending({ recordingStatus, analysisStatus }: CallResults): boolean {
  return recordingStatus === "pending" || analysisStatus === "pending";
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
