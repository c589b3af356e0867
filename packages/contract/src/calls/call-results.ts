import { type Static, Type } from "typebox";

export const callResultStatuses = ["pending", "ready", "failed", "deleted"] as const;
/** Status of a recording or an analysis. */
export type CallResultStatus = (typeof callResultStatuses)[number];

export const callExtractionSchema = Type.Record(Type.String(), Type.Unknown(), {
  title: "CallExtraction",
  description:
    "Extracted values by the names in the agent's `postCallExtraction`. A value is null if the conversation does not contain it.",
});
export type CallExtraction = Static<typeof callExtractionSchema>;

export const callEvaluationSchema = Type.Array(
  Type.Object({
    name: Type.String({ description: "Name of the criterion." }),
    result: Type.Enum(["pass", "fail", "unknown"]),
    reason: Type.String({ description: "Reason in one sentence." }),
  }),
  { title: "CallEvaluation", description: "Result for each criterion in the agent's `postCallEvaluation`." },
);
export type CallEvaluation = Static<typeof callEvaluationSchema>;
