import type { ScriptedExchange } from "../../packages/providers/src/testing/index.ts";
import { FIRST_CLAUSE_TOKENS, firstClauseOf } from "./script.ts";

/** Less than this is a difference between clocks, not an answer begun ahead. */
const CLOCK_GRAIN_MS = 5;
/** A packet so much later than the API has the answer's first began another: this one followed something that was still heard. */
const ANOTHER_ONSET_MS = 1_000;

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

/** One making of an answer, with the moment at which it was heard. */
interface HeardAnswer {
  request: ScriptedExchange;
  /** Token that completes the first clause sent. */
  clauseTokenAtMs: number;
  clauseReceivedAtMs: number;
  audioAtMs: number;
  packetAtMs: number;
}

/**
 * A caller who pauses and goes on has an answer begun that nobody hears, and the same again later: the one that was heard is
 * the one that a packet followed soonest.
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
 * An answer begun before the decision: its providers worked while the caller's silence was still being judged, so their
 * clocks say nothing about the time since the decision. The API's own figure does, up to the packet's sending.
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
