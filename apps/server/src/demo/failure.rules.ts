import type { CallDetail, Turn } from "@parley/contract";
import type { Verdict } from "./judge.ts";

/** Steps of an answer, with the duration from which each is an unexpected pause. */
const steps: readonly { part: keyof Turn; name: string; slowMs: number }[] = [
  { part: "sttMs", name: "speech recognition", slowMs: 1_500 },
  { part: "llmFirstTokenMs", name: "the language model", slowMs: 3_000 },
  { part: "toolMs", name: "a tool", slowMs: 3_000 },
  { part: "ttsFirstByteMs", name: "the voice", slowMs: 1_500 },
];

const failures: Readonly<Partial<Record<NonNullable<CallDetail["endReason"]>, string>>> = {
  error_stt: "speech recognition failed",
  error_tts: "the voice failed",
  error_llm: "the language model failed",
  error_internal: "the server failed",
  media_timeout: "the caller was gone without hanging up",
  node_lost: "the server stopped during the call",
};

/** Share of processor time from which processes compete for it. */
const OVERLOADED_SHARE = 0.9;

/**
 * Reasons of the demo's failure for people, one line for each cause that its call shows; none if it succeeded.
 *
 * @param busyShare Share (0–1) of all processors' time used during the call by all programs.
 */
export function explainFailure(
  { endReason, endDetail, turns }: Pick<CallDetail, "endReason" | "endDetail" | "turns">,
  { isUnderstood, isHeard }: Pick<Verdict, "isUnderstood" | "isHeard">,
  busyShare: number,
): string[] {
  if (isUnderstood && isHeard) return [];
  const failure = endReason === null ? undefined : failures[endReason];
  const slow = steps.flatMap(({ part, name, slowMs }) => {
    const longestMs = Math.max(0, ...turns.map((turn) => Number(turn[part] ?? 0)));
    return longestMs < slowMs ? [] : [`${name} took ${(longestMs / 1000).toFixed(1)} s`];
  });
  const causes = [
    ...(failure === undefined ? [] : [endDetail === null ? failure : `${failure} (${endDetail})`]),
    ...slow,
  ];
  const percent = Math.round(busyShare * 100);
  if (busyShare >= OVERLOADED_SHARE)
    causes.push(`this machine is overloaded: its processors were ${percent} % busy during the call`);
  else if (slow.length > 0)
    causes.push(
      `this machine is slow for local speech: its processors were ${percent} % busy during the call`,
    );
  return causes.length > 0 ? causes : ["no step of the call was slow or failed"];
}
