import type { ScriptedExchange } from "../../packages/providers/src/testing/index.ts";
import { FIRST_CLAUSE_TOKENS, firstClauseOf } from "./script.ts";

/** Less than this is a difference between clocks, not an answer begun ahead. */
const CLOCK_GRAIN_MS = 5;

/** A turn as the API returns it. */
interface MeasuredTurn {
  llmFirstTokenMs: number | null;
  overheadMs: number | null;
}

interface CallDetail {
  fromNumber: string | null;
  transcript: { type: string; role?: string; text: string }[];
  turns: MeasuredTurn[];
}

export interface ProviderExchanges {
  llm: readonly ScriptedExchange[];
  tts: readonly ScriptedExchange[];
}

/** The platform's own part of one turn's answer, in milliseconds: what is left when the providers' time is taken out. */
export interface Overhead {
  /**
   * The decision that the caller's turn is over → first token at hand (`llmFirstTokenMs` of the API), less request
   * received → first token sent (on the model's side).
   */
  aroundFirstTokenMs: number;
  /** Token that completes the first clause sent by the model → clause received by the synthesis. */
  clauseToSynthesisMs: number;
  /** Its first audio sent by the synthesis → first packet at the caller; the wait for a packet's time is up to 20 ms. */
  audioToPacketMs: number;
}

/**
 * Follows each turn through the providers' and the callers' clocks, which are one (`process.hrtime`). Ways over
 * loopback and the peers' own delays are part of the figures.
 *
 * @param onsetsOf When the agent began to be heard in the call from a number, ascending.
 * @returns One entry for each turn of which every part was found.
 */
export function overheadsOf(
  calls: readonly CallDetail[],
  { llm, tts }: ProviderExchanges,
  onsetsOf: (fromNumber: string) => readonly number[],
): Overhead[] {
  const requests = new Map(llm.map((exchange) => [exchange.conversation, exchange]));
  const clauses = new Map(tts.map((exchange) => [exchange.conversation, exchange]));
  return calls.flatMap(({ fromNumber, transcript, turns }) => {
    const questions = transcript.filter(({ type, role }) => type === "message" && role === "user");
    const onsets = onsetsOf(fromNumber ?? "");
    return turns.flatMap(({ llmFirstTokenMs, overheadMs }, index) => {
      const question = questions[index];
      if (question === undefined || llmFirstTokenMs === null || overheadMs === null) return [];
      const request = requests.get(question.text);
      const clause = clauses.get(firstClauseOf(question.text));
      const isBegunAhead =
        request?.firstByteAtMs !== undefined &&
        request.firstByteAtMs !== null &&
        llmFirstTokenMs < request.firstByteAtMs - request.receivedAtMs - CLOCK_GRAIN_MS;
      if (isBegunAhead) return overheadOfPrepared(overheadMs);
      return overheadOf(llmFirstTokenMs, request, clause, onsets) ?? [];
    });
  });
}

/**
 * An answer begun before the decision: its providers worked while the caller's silence was still being judged, so their
 * clocks say nothing about the time since the decision. The API's own figure does, up to the packet's sending.
 */
function overheadOfPrepared(overheadMs: number): Overhead {
  return { aroundFirstTokenMs: 0, clauseToSynthesisMs: 0, audioToPacketMs: overheadMs };
}

function overheadOf(
  llmFirstTokenMs: number,
  request: ScriptedExchange | undefined,
  clause: ScriptedExchange | undefined,
  onsets: readonly number[],
): Overhead | undefined {
  const clauseTokenAt = request?.chunksAtMs[FIRST_CLAUSE_TOKENS - 1];
  const tokenAt = request?.firstByteAtMs ?? undefined;
  const audioAt = clause?.firstByteAtMs ?? undefined;
  const packetAt = onsets.find((atMs) => audioAt !== undefined && atMs >= audioAt);
  if (request === undefined || clause === undefined || tokenAt === undefined) return undefined;
  if (clauseTokenAt === undefined || audioAt === undefined || packetAt === undefined) return undefined;
  return {
    aroundFirstTokenMs: llmFirstTokenMs - (tokenAt - request.receivedAtMs),
    clauseToSynthesisMs: clause.receivedAtMs - clauseTokenAt,
    audioToPacketMs: packetAt - audioAt,
  };
}

export function totalOverheadMs({
  aroundFirstTokenMs,
  clauseToSynthesisMs,
  audioToPacketMs,
}: Overhead): number {
  return aroundFirstTokenMs + clauseToSynthesisMs + audioToPacketMs;
}
