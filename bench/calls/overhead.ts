import type { ScriptedExchange } from "../../packages/providers/src/testing/index.ts";
import { FIRST_CLAUSE_TOKENS, firstClauseOf } from "./script.ts";

/** A smaller difference is one between clocks, not an answer begun ahead. */
const CLOCK_GRAIN_MS = 5;
/**
 * A packet this much later than the API's time of the answer's first belongs to another onset: this answer followed
 * speech that was still playing.
 */
const ANOTHER_ONSET_MS = 1_000;

/** Turn as returned by the API. */
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

/** The platform's own part of one turn's answer in milliseconds, without the providers' time. */
export interface Overhead {
  /**
   * From the decision that the caller's turn is over to the first token's arrival (`llmFirstTokenMs` of the API), less
   * the model's time from receiving the request to sending the first token.
   */
  aroundFirstTokenMs: number;
  /**
   * Time from the model's sending of the token that completes the first clause to the synthesis's receipt of the
   * clause.
   */
  clauseToSynthesisMs: number;
  /**
   * From the synthesis's sending of its first audio to the first packet at the caller; includes up to 20 ms of waiting
   * for a packet's time.
   */
  audioToPacketMs: number;
}

/**
 * Follows each turn through the clocks of providers and callers, which are the same (`process.hrtime`). The results
 * include loopback transit and the peers' own delays.
 *
 * @param onsetsOf Returns the times at which the agent became audible in the call from a number, ascending.
 * @returns One entry for each turn of which every part was found.
 */
export function overheadsOf(
  calls: readonly CallDetail[],
  { llm, tts }: ProviderExchanges,
  onsetsOf: (fromNumber: string) => readonly number[],
): Overhead[] {
  const requests = Map.groupBy(llm, ({ conversation }) => conversation);
  const clauses = Map.groupBy(tts, ({ conversation }) => conversation);
  return calls.flatMap(({ fromNumber, transcript, turns }) => {
    const questions = transcript.filter(({ type, role }) => type === "message" && role === "user");
    const onsets = onsetsOf(fromNumber ?? "");
    return turns.flatMap(({ llmFirstTokenMs, overheadMs }, index) => {
      const question = questions[index];
      if (question === undefined || llmFirstTokenMs === null || overheadMs === null) return [];
      const asked = requests.get(question.text) ?? [];
      const answer = answerHeard(asked, clauses.get(firstClauseOf(question.text)) ?? [], onsets);
      const request = answer?.request ?? asked.at(-1);
      const providerMs = request === undefined ? undefined : firstTokenMsOf(request);
      if (providerMs === undefined) return [];
      if (llmFirstTokenMs < providerMs - CLOCK_GRAIN_MS) return overheadOfPrepared(overheadMs);
      return answer === undefined ? [] : overheadOf(answer, llmFirstTokenMs - providerMs, overheadMs);
    });
  });
}

/** One preparation of an answer, with the time at which it became audible. */
interface HeardAnswer {
  request: ScriptedExchange;
  /** Time at which the token that completes the first clause was sent. */
  clauseTokenAtMs: number;
  clauseReceivedAtMs: number;
  audioAtMs: number;
  packetAtMs: number;
}

/**
 * If a caller pauses and continues, an answer is prepared that is discarded, and prepared again later: the audible one
 * is the one that a packet followed soonest.
 */
function answerHeard(
  requests: readonly ScriptedExchange[],
  clauses: readonly ScriptedExchange[],
  onsets: readonly number[],
): HeardAnswer | undefined {
  const answers = requests.flatMap((request): HeardAnswer[] => {
    const clauseTokenAtMs = request.chunksAtMs[FIRST_CLAUSE_TOKENS - 1];
    if (clauseTokenAtMs === undefined) return [];
    const clause = clauses.find(({ receivedAtMs }) => receivedAtMs >= clauseTokenAtMs);
    const audioAtMs = clause?.firstByteAtMs ?? undefined;
    if (clause === undefined || audioAtMs === undefined) return [];
    const packetAtMs = onsets.find((atMs) => atMs >= audioAtMs);
    if (packetAtMs === undefined) return [];
    return [{ request, clauseTokenAtMs, clauseReceivedAtMs: clause.receivedAtMs, audioAtMs, packetAtMs }];
  });
  const waitMs = ({ clauseTokenAtMs, packetAtMs }: HeardAnswer): number => packetAtMs - clauseTokenAtMs;
  return answers.sort((a, b) => waitMs(a) - waitMs(b))[0];
}

function firstTokenMsOf({ receivedAtMs, firstByteAtMs }: ScriptedExchange): number | undefined {
  return firstByteAtMs === null ? undefined : firstByteAtMs - receivedAtMs;
}

/**
 * For an answer begun before the decision, the providers' clocks do not cover the time since the decision, because they
 * worked before it. The API's own figure does, up to the packet's sending.
 */
function overheadOfPrepared(overheadMs: number): Overhead {
  return { aroundFirstTokenMs: 0, clauseToSynthesisMs: 0, audioToPacketMs: overheadMs };
}

function overheadOf(answer: HeardAnswer, aroundFirstTokenMs: number, apiOverheadMs: number): Overhead {
  const audioToPacketMs = answer.packetAtMs - answer.audioAtMs;
  return {
    aroundFirstTokenMs,
    clauseToSynthesisMs: answer.clauseReceivedAtMs - answer.clauseTokenAtMs,
    audioToPacketMs: audioToPacketMs > apiOverheadMs + ANOTHER_ONSET_MS ? apiOverheadMs : audioToPacketMs,
  };
}

export function totalOverheadMs({
  aroundFirstTokenMs,
  clauseToSynthesisMs,
  audioToPacketMs,
}: Overhead): number {
  return aroundFirstTokenMs + clauseToSynthesisMs + audioToPacketMs;
}
