import type { ScriptedExchange } from "../../packages/providers/src/testing/index.ts";
import { FIRST_CLAUSE_TOKENS, firstClauseOf } from "./script.ts";

/** A turn as the API returns it. */
interface MeasuredTurn {
  llmFirstTokenMs: number | null;
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

/**
 * The platform's own part of each turn's answer: from the decision that the caller's turn is over to the arrival of
 * the answer's first packet at the caller, less the time that the providers took.
 *
 *     overhead =  llmFirstTokenMs of the API (decision → first token, on the platform's clock)
 *               − (request received → first token sent, on the model's clock)
 *               + (first token sent → first packet received, on the model's and the caller's clock)
 *               − (first token sent → token that completes the first clause sent)
 *               − (clause received → its first audio sent, on the synthesis's clock)
 *
 * The clocks are one (`process.hrtime`). The first token's way to the platform is in it twice, the loopback's and the
 * caller's own delays are in it too, and so is the wait for the next packet's time (up to 20 ms, 10 on average).
 *
 * @param onsetsOf When the agent began to be heard in the call from a number, ascending.
 * @returns One figure for each turn that was found with all of its parts.
 */
export function overheadsMs(
  calls: readonly CallDetail[],
  { llm, tts }: ProviderExchanges,
  onsetsOf: (fromNumber: string) => readonly number[],
): number[] {
  const requests = new Map(llm.map((exchange) => [exchange.conversation, exchange]));
  const clauses = new Map(tts.map((exchange) => [exchange.conversation, exchange]));
  return calls.flatMap(({ fromNumber, transcript, turns }) => {
    const messages = transcript.filter(({ type }) => type === "message");
    const questions = messages.filter(({ role }) => role === "user");
    const onsets = onsetsOf(fromNumber ?? "");
    return turns.flatMap((turn, index) => {
      const question = questions[index];
      const request = question && requests.get(question.text);
      const clause = question && clauses.get(firstClauseOf(question.text));
      if (request === undefined || clause === undefined || turn.llmFirstTokenMs === null) return [];
      return overheadMs(turn.llmFirstTokenMs, request, clause, onsets) ?? [];
    });
  });
}

function overheadMs(
  llmFirstTokenMs: number,
  request: ScriptedExchange,
  clause: ScriptedExchange,
  onsets: readonly number[],
): number | undefined {
  const firstTokenAt = request.firstByteAtMs;
  const clauseTokenAt = request.chunksAtMs[FIRST_CLAUSE_TOKENS - 1];
  const audioAt = clause.firstByteAtMs;
  if (firstTokenAt === null || clauseTokenAt === undefined || audioAt === null) return undefined;
  const heardAt = onsets.find((atMs) => atMs >= audioAt);
  if (heardAt === undefined) return undefined;
  const aroundFirstToken = llmFirstTokenMs - (firstTokenAt - request.receivedAtMs);
  return (
    aroundFirstToken +
    (heardAt - firstTokenAt) -
    (clauseTokenAt - firstTokenAt) -
    (audioAt - clause.receivedAtMs)
  );
}
