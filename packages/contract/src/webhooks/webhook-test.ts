/** Sending a sample event to an agent's webhook. */
import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullableEnum } from "../schemas.ts";
import { preCallAnswerSchema } from "./webhook-events.ts";
import { attemptSchema } from "./webhooks.ts";

const testableWebhookTypes = ["call.pre", "call.post"] as const;
export type TestableWebhookType = (typeof testableWebhookTypes)[number];

const { startedAt, durationMs, answerStatus, answer, problem } = attemptSchema.properties;

const webhookTestSchema = Type.Object(
  {
    id: { ...idSchema, description: "Id of the event, as in the `webhook-id` header." },
    type: Type.Enum([...testableWebhookTypes]),
    url: Type.String({ description: "URL that the event was sent to." }),
    body: Type.String({ description: "Request body exactly as sent." }),
    startedAt,
    durationMs,
    answerStatus,
    answer,
    problem,
    preCallAnswer: Type.Union([preCallAnswerSchema, Type.Null()], {
      description: "What a call would take from the answer to `call.pre`. Null for `call.post`.",
    }),
    preCallProblems: Type.Array(Type.String(), {
      description: "Parts of the answer to `call.pre` that a call would ignore.",
    }),
  },
  { title: "WebhookTest", description: "Result of one request with a sample event." },
);

export type WebhookTest = Static<typeof webhookTestSchema>;

export const testWebhookRoute = defineRoute({
  method: "POST",
  path: "/webhooks/test",
  operationId: "testWebhook",
  tag: "Webhooks",
  summary: "Send a sample event to an agent's webhook",
  description:
    "Sends one request with a sample event to the saved `postCallWebhookUrl` or `preCallWebhookUrl` of the agent, as a call would: " +
    "signed, with the same timeout, without redirects, and never to private addresses. The call in the event does not exist; " +
    "`isTest` is true. Without an answer, or with another status than 2xx, `problem` says why; the response is 200 all the " +
    "same. Not retried, and not in the delivery log.",
  body: closedObject(
    {
      agentId: { ...idSchema, description: "Id of the agent whose webhook is tested." },
      type: Type.Optional(
        nullableEnum(testableWebhookTypes, { description: "Event. Absent or null: `call.post`." }),
      ),
    },
    { title: "WebhookTestRequest" },
  ),
  status: 200,
  response: dataOf(webhookTestSchema),
  rateLimit: { requests: 20, windowSeconds: 60 },
});
