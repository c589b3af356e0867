import { type Static, Type } from "typebox";
import { nullable } from "../schemas.ts";

/**
 * Parts of an agent turn's latency in milliseconds. The first eight add up to the total. A call reports p50 and p95 of each.
 */
const latencyParts = {
  endpointingMs: "Silence in milliseconds after which the caller's turn was over.",
  sttMs: "Time in milliseconds from the end of that silence to the final text. 0: the text arrived before.",
  llmFirstTokenMs:
    "Time in milliseconds from the decision to answer to the model's first token, without the tools that it called before.",
  toolMs: "Time in milliseconds for which the model waited for tools before its first clause.",
  llmFirstClauseMs:
    "Time in milliseconds from the first token to the first clause that can be spoken, without tools.",
  ttsFirstByteMs: "Time in milliseconds from the first clause to its first audio.",
  waitMs:
    "Time in milliseconds for which the answer waited for its place: until a filler phrase or a hold ended, the caller's keys " +
    "were complete, or an instruction had replaced a first answer.",
  overheadMs:
    "Parley's own share in milliseconds, for preparing the answer and passing on its audio: the total without the other parts.",
  totalMs:
    "Time in milliseconds from the end of the caller's speech to the first audio packet of the answer.",
} as const;

function milliseconds(description: string) {
  return nullable(
    Type.Number({ minimum: 0, description: `${description} Null: not measured in this turn.` }),
  );
}

export const turnLatencySchema = Type.Object({
  endpointingMs: milliseconds(latencyParts.endpointingMs),
  sttMs: milliseconds(latencyParts.sttMs),
  llmFirstTokenMs: milliseconds(latencyParts.llmFirstTokenMs),
  toolMs: milliseconds(latencyParts.toolMs),
  llmFirstClauseMs: milliseconds(latencyParts.llmFirstClauseMs),
  ttsFirstByteMs: milliseconds(latencyParts.ttsFirstByteMs),
  waitMs: milliseconds(latencyParts.waitMs),
  overheadMs: milliseconds(latencyParts.overheadMs),
  totalMs: milliseconds(latencyParts.totalMs),
});

export const turnSchema = Type.Object(
  { id: Type.String({ description: "Id of the turn." }), ...turnLatencySchema.properties },
  { title: "Turn", description: "Latency of one agent turn. The parts add up to `totalMs`." },
);

export type Turn = Static<typeof turnSchema>;

const percentilesSchema = Type.Object({ p50: Type.Number(), p95: Type.Number() });
const partPercentiles = Type.Union([percentilesSchema, Type.Null()]);

export const callLatencySchema = Type.Object(
  {
    endpointingMs: partPercentiles,
    sttMs: partPercentiles,
    llmFirstTokenMs: partPercentiles,
    toolMs: partPercentiles,
    llmFirstClauseMs: partPercentiles,
    ttsFirstByteMs: partPercentiles,
    waitMs: partPercentiles,
    overheadMs: partPercentiles,
    totalMs: partPercentiles,
  },
  {
    title: "CallLatency",
    description:
      "Percentiles of the latency over the call's agent turns, in milliseconds. Set when the call has ended.",
  },
);

export type CallLatency = Static<typeof callLatencySchema>;
