import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, pageOf, pageQuery, timestampSchema } from "../schemas.ts";
import { webhookTypes } from "./webhook-events.ts";

const signingSchema = Type.Object(
  {
    enabled: Type.Boolean({ description: "Whether webhooks are signed." }),
    last4: nullable(
      Type.String({
        description: "Last four characters of the secret. Null: there is no secret.",
        examples: ["3Q0="],
      }),
    ),
  },
  { title: "WebhookSigning" },
);

const signingSecretSchema = Type.Object(
  {
    secret: Type.String({
      description:
        "`whsec_` and 32 bytes in base64. Returned only in this response, and in its repetition under the same `Idempotency-Key`.",
      examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
    }),
    enabled: Type.Boolean(),
    last4: Type.String(),
  },
  { title: "WebhookSigningSecret" },
);

export type WebhookSigning = Static<typeof signingSchema>;
export type WebhookSigningSecret = Static<typeof signingSecretSchema>;

export const rotateSigningSecretRoute = defineRoute({
  method: "POST",
  path: "/webhooks/signing-secret",
  operationId: "rotateWebhookSigningSecret",
  role: "admin",
  tag: "Webhooks",
  summary: "Create or rotate the webhook signing secret",
  description:
    "Webhooks and custom tool requests are signed from now on. Each has the header " +
    "`X-Service-Signature: t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `{t}.{raw body}`, keyed with the " +
    "bytes of the whole secret string. Each also has the Standard Webhooks headers (`webhook-id`, `webhook-timestamp`, " +
    "`webhook-signature`), which the Standard Webhooks libraries verify. A tool's `GET` request, which has no body, is " +
    'signed by the JSON `{"method","path","query"}`, sent base64url-encoded in `X-Parley-Signed-Content`: verify the decoded ' +
    "text in place of the body, and compare it with the request. " +
    "For 24 hours after a rotation the previous secret signs too: there are then two `v1=` values and two signatures. " +
    "Send an `Idempotency-Key`: a retry without it rotates again, and the secret in use stops signing.",
  status: 200,
  response: dataOf(signingSecretSchema),
  isBillingRequired: false,
});

export const disableSigningRoute = defineRoute({
  method: "DELETE",
  path: "/webhooks/signing-secret",
  operationId: "disableWebhookSigning",
  role: "admin",
  tag: "Webhooks",
  summary: "Disable webhook signing",
  description:
    "Removes the current and the previous secret. `last4` is that of the removed secret; null if there was none.",
  status: 200,
  response: dataOf(signingSchema),
  isBillingRequired: false,
});

export const getSigningRoute = defineRoute({
  method: "GET",
  path: "/webhooks/signing-secret",
  operationId: "getWebhookSigning",
  tag: "Webhooks",
  summary: "Get the state of webhook signing",
  status: 200,
  response: dataOf(signingSchema),
});

const deliveryStatuses = ["pending", "delivered", "failed"] as const;

const deliverySchema = Type.Object(
  {
    id: { ...idSchema, description: "Id of the event, as in the `webhook-id` header." },
    type: Type.Enum([...webhookTypes]),
    callId: nullable({ ...idSchema, description: "Id of the call. Null: not a `call.*` event." }),
    messageId: nullable({
      ...idSchema,
      description: "Id of the message. Null: not a `message.received` event.",
    }),
    agentId: nullable({ ...idSchema, description: "Id of the agent of the call or message. Null: unknown." }),
    url: Type.String({ description: "URL that the webhook is sent to." }),
    status: Type.Enum([...deliveryStatuses], {
      description:
        "`pending`: an attempt is due. `delivered`: the receiver answered with 2xx. `failed`: all attempts failed.",
    }),
    attempts: Type.Integer({ minimum: 0, description: "Number of automatic attempts, without resends." }),
    nextAttemptAt: nullable({
      ...timestampSchema,
      description: "Time of the next attempt. Null: no attempt is due.",
    }),
    createdAt: timestampSchema,
  },
  { title: "WebhookDelivery", description: "Delivery of one event. Kept for 30 days." },
);

export const attemptSchema = Type.Object(
  {
    id: idSchema,
    startedAt: timestampSchema,
    durationMs: Type.Number({
      description: "Duration in milliseconds, to the end of the answer or the timeout.",
    }),
    answerStatus: nullable(Type.Integer({ description: "HTTP status of the answer. Null: no answer." })),
    answer: nullable(
      Type.String({ description: "First 2,000 characters of the answer's body. Null: no answer." }),
    ),
    problem: nullable(
      Type.String({
        description: "Reason of the failure. Null: delivered.",
        examples: ["no answer within 10000 ms"],
      }),
    ),
    isResend: Type.Boolean({ description: "Whether the attempt was requested with `resend`." }),
  },
  { title: "WebhookAttempt" },
);

const deliveryDetailSchema = Type.Object(
  {
    ...deliverySchema.properties,
    body: nullable(
      Type.String({
        description:
          "Request body exactly as sent. Null: not built yet, because analysis or recording is still running.",
      }),
    ),
    attemptLog: Type.Array(attemptSchema, { description: "Attempts, oldest first." }),
  },
  { title: "WebhookDeliveryDetail" },
);

export type WebhookDeliverySummary = Static<typeof deliverySchema>;
export type WebhookDeliveryDetail = Static<typeof deliveryDetailSchema>;

const deliveryParams = Type.Object({ id: { ...idSchema, description: "Id of the delivery." } });

export const listDeliveriesRoute = defineRoute({
  method: "GET",
  path: "/webhooks/deliveries",
  operationId: "listWebhookDeliveries",
  tag: "Webhooks",
  summary: "List webhook deliveries",
  query: closedObject({
    ...pageQuery,
    type: Type.Optional(Type.Enum([...webhookTypes])),
    status: Type.Optional(Type.Enum([...deliveryStatuses])),
    callId: Type.Optional(idSchema),
    agentId: Type.Optional({
      ...idSchema,
      description: "Only deliveries of this agent's calls and messages.",
    }),
    createdAfter: Type.Optional({
      ...timestampSchema,
      description: "Deliveries created at or after this time.",
    }),
    createdBefore: Type.Optional({ ...timestampSchema, description: "Deliveries created before this time." }),
  }),
  status: 200,
  response: pageOf(deliverySchema),
});

export const getDeliveryRoute = defineRoute({
  method: "GET",
  path: "/webhooks/deliveries/{id}",
  operationId: "getWebhookDelivery",
  tag: "Webhooks",
  summary: "Get a webhook delivery with its attempts",
  params: deliveryParams,
  status: 200,
  response: dataOf(deliveryDetailSchema),
});

export const resendDeliveryRoute = defineRoute({
  method: "POST",
  path: "/webhooks/deliveries/{id}/resend",
  operationId: "resendWebhookDelivery",
  tag: "Webhooks",
  summary: "Resend a webhook",
  description:
    "Queues one more attempt with the same event and body and a new signature. It is not counted in `attempts`, and changes " +
    "the status only if it succeeds.",
  params: deliveryParams,
  status: 200,
  response: dataOf(deliverySchema),
  errors: ["webhook_not_sent"],
});
