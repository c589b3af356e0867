/** Calling a custom tool outside a conversation. */
import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  idSchema,
  nullable,
  requestedEnvironmentSchema,
  variablesSchema,
} from "../schemas.ts";

const customToolTestSchema = Type.Object(
  {
    request: nullable(
      Type.Object(
        {
          method: Type.String(),
          url: Type.String({ description: "URL with the query." }),
          headers: Type.Record(Type.String(), Type.String(), {
            description: "Headers as sent, with those that Parley adds and the signature.",
          }),
          body: nullable(Type.String({ description: "Body exactly as sent. Null: a `GET` has none." })),
        },
        { description: "Null: the request was not sent, because the arguments are invalid." },
      ),
    ),
    status: nullable(Type.Integer({ description: "HTTP status of the answer. Null: no answer." })),
    durationMs: Type.Integer({
      minimum: 0,
      description: "Duration in milliseconds, to the end of the answer or the timeout.",
    }),
    answer: nullable(
      Type.String({
        description: "Text that the language model would get. Null: the answer is empty, or the tool failed.",
      }),
    ),
    problem: nullable(
      Type.String({
        description: "Reason of the failure, as the language model would get it. Null: the tool succeeded.",
        examples: ["HTTP status 404: unknown order"],
      }),
    ),
  },
  {
    title: "CustomToolTest",
    description: "Result of one call of a tool.",
  },
);

export type CustomToolTest = Static<typeof customToolTestSchema>;

export const testCustomToolRoute = defineRoute({
  method: "POST",
  path: "/agents/{id}/custom-tools/{toolId}/test",
  operationId: "testCustomTool",
  tag: "Custom tools",
  summary: "Call a custom tool with given arguments",
  description:
    "Sends the tool's request as a browser test call would: with the saved draft or the named environment, the variables " +
    "rendered, signed, at most 20 seconds, and never to private addresses. `callId` is null in the request, because there is no " +
    "call. A disabled tool is called too. If the tool fails, `problem` says why; the response is 200 all the same.",
  params: Type.Object({
    id: { ...idSchema, description: "Id of the agent." },
    toolId: { ...idSchema, description: "Id of the tool." },
  }),
  body: closedObject(
    {
      arguments: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "Arguments as the language model would choose them. Default: `{}`.",
          examples: [{ number: "1234" }],
        }),
      ),
      variables: Type.Optional({
        ...variablesSchema,
        description: "Variables that override those of the agent and the environment.",
      }),
      environment: Type.Optional(
        requestedEnvironmentSchema("Environment of the agent. Absent or null: the saved draft."),
      ),
    },
    { title: "CustomToolTestRequest" },
  ),
  status: 200,
  response: dataOf(customToolTestSchema),
  rateLimit: { requests: 60, windowSeconds: 60 },
  errors: ["environment_not_found"],
});
