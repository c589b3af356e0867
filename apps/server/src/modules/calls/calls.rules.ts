import { isIP } from "node:net";
import type { CallEndReason, CallLatency, CallResultStatus, Turn } from "@parley/contract";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";

/**
 * Returns the peer address that decides which of our addresses is in SDP: the source of the signaling, which
 * no NAT falsifies, unless the offer's audio uses the other version of IP.
 */
export function findMediaPeer(sourceAddress: string, offer: string): string {
  const offered = /^c=IN IP[46] (\S+)/m.exec(offer)?.[1] ?? "";
  const isOtherVersion = isIP(offered) !== 0 && isIP(offered) !== isIP(sourceAddress);
  return isOtherVersion && !isNowhere(offered) ? offered : sourceAddress;
}

/** Connection addresses of an offer on hold (RFC 3264 §8.4). */
const isNowhere = (address: string): boolean => address === "0.0.0.0" || address === "::";

/** Counts started seconds from the answer to the end; 0 for a call that was never answered. */
export function countBillableSeconds(answeredAt: Date | null, endedAt: Date): number {
  if (answeredAt === null) return 0;
  return Math.max(0, Math.ceil((endedAt.getTime() - answeredAt.getTime()) / 1000));
}

/** Parts of a latency that records of earlier versions lack. */
export const LATER_LATENCY_PARTS = { llmFirstClauseMs: null, toolMs: null, waitMs: null };

interface CallTimes {
  createdAt: Date;
  startedAt: Date | null;
  answeredAt: Date | null;
}

/** Returns the last time at which a call is known to have gone on, at most `now`. */
export function findLastSign(
  { createdAt, startedAt, answeredAt }: CallTimes,
  signs: readonly (Date | undefined)[],
  now: Date,
): Date {
  const times = [createdAt, startedAt, answeredAt, ...signs].map((each) => each?.getTime() ?? 0);
  return new Date(Math.min(now.getTime(), Math.max(...times)));
}

interface EndedTimes {
  endReason: CallEndReason | null;
  answeredAt: Date | null;
  endedAt: Date | null;
}

/**
 * Returns whether an end replaces the recorded one: a call that was closed as `node_lost` went on until a later time,
 * as its node has found or has written down before it died.
 */
export function isEndCorrected(
  recorded: Pick<EndedTimes, "endReason" | "endedAt">,
  { endedAt }: { endedAt: Date },
): boolean {
  return recorded.endReason === "node_lost" && recorded.endedAt !== null && endedAt > recorded.endedAt;
}

/** Returns whether an ended call may have been answered without a record of it. */
export function isAnswerMissing({ endReason, answeredAt }: EndedTimes): boolean {
  return endReason === "node_lost" && answeredAt === null;
}

export interface CallResults {
  recordingStatus: CallResultStatus | null;
  analysisStatus: CallResultStatus | null;
}

/** Returns whether a result of the call is pending. */
export function isResultPending({ recordingStatus, analysisStatus }: CallResults): boolean {
  return recordingStatus === "pending" || analysisStatus === "pending";
}

/** Removes the results whose source was deleted while they were produced. */
export function withoutDeleted<R extends object>(before: CallResults, result: R): Partial<R> {
  const isKept = (name: string): boolean =>
    name === "recordingStatus" ? before.recordingStatus !== "deleted" : before.analysisStatus !== "deleted";
  const kept = Object.entries(result).filter(([name]) => isKept(name));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are entries of `result`
  return Object.fromEntries(kept) as Partial<R>;
}

/** Returns p50 and p95 of each part over the turns in which it was measured; null if there are no turns. */
export function summarizeLatency(turns: readonly Turn[]): CallLatency | null {
  if (turns.length === 0) return null;
  return {
    endpointingMs: summarize(turns.map((turn) => turn.endpointingMs)),
    sttMs: summarize(turns.map((turn) => turn.sttMs)),
    llmFirstTokenMs: summarize(turns.map((turn) => turn.llmFirstTokenMs)),
    toolMs: summarize(turns.map((turn) => turn.toolMs)),
    llmFirstClauseMs: summarize(turns.map((turn) => turn.llmFirstClauseMs)),
    ttsFirstByteMs: summarize(turns.map((turn) => turn.ttsFirstByteMs)),
    waitMs: summarize(turns.map((turn) => turn.waitMs)),
    overheadMs: summarize(turns.map((turn) => turn.overheadMs)),
    totalMs: summarize(turns.map((turn) => turn.totalMs)),
  };
}

function summarize(values: readonly (number | null)[]): { p50: number; p95: number } | null {
  const measured = values.filter((value) => value !== null).sort((a, b) => a - b);
  return measured.length === 0 ? null : { p50: percentile(measured, 0.5), p95: percentile(measured, 0.95) };
}

/** Nearest rank: returns a measured value. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The number as calls store it. A `+` that a client sent unencoded in the query arrives as a space. */
export function normalizeNumberFilter(text: string): string {
  const number = text.replace(/^ (?=[0-9(])/, "+");
  return number.startsWith("+") ? (normalizePhoneNumber(number) ?? number) : number;
}
