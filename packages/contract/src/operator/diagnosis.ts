import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { dataOf } from "../schemas.ts";
import { operated } from "./organizations.ts";

const diagnosisSchema = Type.Object(
  {
    isOk: Type.Boolean({ description: "False: at least one check failed." }),
    results: Type.Array(
      Type.Object({
        check: Type.String({ description: "Name of the check.", examples: ["disk"] }),
        verdict: Type.Enum(["ok", "warning", "failed", "skipped"], {
          description:
            "`failed`: calls cannot work. `warning`: something is worse than it should be. `skipped`: does not apply.",
        }),
        message: Type.String({ description: "What was found." }),
        remedy: Type.Optional(
          Type.String({ description: "What to do. Present for warnings and failed checks." }),
        ),
      }),
    ),
  },
  { title: "Diagnosis" },
);

export type Diagnosis = Static<typeof diagnosisSchema>;

export const getDiagnosisRoute = defineRoute({
  ...operated,
  method: "GET",
  path: "/diagnosis",
  operationId: "getDiagnosis",
  summary: "Examine the node",
  description:
    "Runs the checks of `npm run doctor` inside the node that answers: up to some minutes, if providers or trunks do not answer. Requests that come meanwhile get the same answer.",
  status: 200,
  response: dataOf(diagnosisSchema),
});
