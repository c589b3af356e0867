import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { closedObject, dataOf, idSchema, nullable, pageOf, pageQuery, timestampSchema } from "../schemas.ts";
import { webhookTypes } from "./webhook-events.ts";

const signingSchema = Type.Object(
  {
    enabled: Type.Boolean({ description: "Whether webhooks are signed." }),
    last4: nullable(
      Type.String({
        description: "The secret's last four characters. Null: there is none.",
        examples: ["3Q0="],
      }),
    ),
  },
  { title: "WebhookSigning" },
);

const signingSecretSchema = Type.Object(
  {
    secret: Type.String({
      description: "Shown by this answer only: `whsec_` and the base64 of 32 bytes.",
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
  tag: "Webhooks",
  summary: "Create or rotate the webhook signing secret",
  description:
    "From now on webhooks carry `X-Service-Signature: t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of " +
    "`{t}.{raw body}` under the bytes of the whole secret string, and the headers of Standard Webhooks (`webhook-id`, " +
    "`webhook-timestamp`, `webhook-signature`), which its libraries verify. Requests of custom tools carry them too; where " +
    "there is no body, an empty one is signed. For 24 hours after a rotation the secret " +
    "before signs as well: two `v1=`, two signatures.",
  status: 200,
  response: dataOf(signingSecretSchema),
  isBillingRequired: false,
  isAnswerKept: false,
});

export const disableSigningRoute = defineRoute({
  method: "DELETE",
  path: "/webhooks/signing-secret",
  operationId: "disableWebhookSigning",
  tag: "Webhooks",
  summary: "Disable webhook signing",
  description: "Removes the secret, and the one before it; `last4` is that of the removed one.",
  status: 200,
  response: dataOf(signingSchema),
  isBillingRequired: false,
});

export const getSigningRoute = defineRoute({
  method: "GET",
  path: "/webhooks/signing-secret",
  operationId: "getWebhookSigning",
  tag: "Webhooks",
  summary: "Get whether webhooks are signed",
  status: 200,
  response: dataOf(signingSchema),
});

const deliveryStatuses = ["pending", "delivered", "failed"] as const;

const deliverySchema = Type.Object(
  {
    id: { ...idSchema, description: "Of the event: `webhook-id` of its requests." },
    type: Type.Enum([...webhookTypes]),
    callId: nullable({ ...idSchema, description: "Of `call.*`; else null." }),
    messageId: nullable({ ...idSchema, description: "Of `message.received`; else null." }),
    url: Type.String(),
    status: Type.Enum([...deliveryStatuses], {
      description: "`pending`: not sent yet, or to be sent again. `failed`: given up.",
    }),
    attempts: Type.Integer({ minimum: 0, description: "Without those that were asked for (`resend`)." }),
    nextAttemptAt: nullable({ ...timestampSchema, description: "Null: there is none to come." }),
    createdAt: timestampSchema,
  },
  { title: "WebhookDelivery", description: "One event, and what became of it. Kept for 30 days." },
);

const attemptSchema = Type.Object(
  {
    id: idSchema,
    startedAt: timestampSchema,
    durationMs: Type.Number({ description: "To the end of the answer, or of waiting for it." }),
    answerStatus: nullable(Type.Integer({ description: "HTTP status. Null: there was no answer." })),
    answer: nullable(Type.String({ description: "Its first 2,000 characters." })),
    problem: nullable(
      Type.String({ description: "Null: it was taken.", examples: ["no answer within 10000 ms"] }),
    ),
    isResend: Type.Boolean({ description: "It was asked for." }),
  },
  { title: "WebhookAttempt" },
);

const deliveryDetailSchema = Type.Object(
  {
    ...deliverySchema.properties,
    body: nullable(
      Type.String({
        description: "Exactly as sent. Null: not built yet, as a call is still being analysed.",
      }),
    ),
    attemptLog: Type.Array(attemptSchema, { description: "The oldest first." }),
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
    createdAfter: Type.Optional({ ...timestampSchema, description: "At this time or later." }),
    createdBefore: Type.Optional({ ...timestampSchema, description: "Earlier than this time." }),
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
  summary: "Send a webhook again",
  description:
    "Makes one more attempt, soon: the same event and body, signed anew. It does not count as one of the four, and changes " +
    "the status only where it is taken.",
  params: deliveryParams,
  status: 200,
  response: dataOf(deliverySchema),
  errors: ["webhook_not_sent"],
});
