/** What is made of a call after its end. */
import { Type } from "typebox";
import { callSchema } from "../calls/calls.ts";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema } from "../schemas.ts";

export const reanalyzeCallRoute = defineRoute({
  method: "POST",
  path: "/calls/{id}/reanalyze",
  operationId: "reanalyzeCall",
  tag: "Calls",
  summary: "Fill in a call's extraction and evaluation again",
  description:
    "By the `postCallExtraction` and `postCallEvaluation` of the configuration that the call ran on. The answer shows the " +
    "call with `analysisStatus` `pending`; until it is `ready` the earlier results stay. No webhook is sent again. A call " +
    "whose agent asked for neither stays as it is.",
  params: Type.Object({ id: { ...idSchema, description: "Id of the call." } }),
  status: 200,
  response: dataOf(callSchema),
  errors: ["call_not_ended", "llm_not_configured"],
});
