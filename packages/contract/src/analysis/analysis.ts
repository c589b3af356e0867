/** Analysis of a call after its end. */
import { Type } from "typebox";
import { callSchema } from "../calls/call.ts";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema } from "../schemas.ts";

export const reanalyzeCallRoute = defineRoute({
  method: "POST",
  path: "/calls/{id}/reanalyze",
  operationId: "reanalyzeCall",
  tag: "Calls",
  summary: "Repeat the analysis of a call",
  description:
    "Repeats extraction and evaluation with the `postCallExtraction` and `postCallEvaluation` of the configuration that the " +
    "call ran on. Returns the call with `analysisStatus` `pending`; the earlier results stay until it is `ready`. No webhook " +
    "is sent. A call whose agent has neither is unchanged.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the call." } }),
  status: 200,
  response: dataOf(callSchema),
  rateLimit: { requests: "reanalysesPerHour", windowSeconds: 3600 },
  errors: ["call_not_ended", "transcript_deleted", "llm_not_configured"],
});
