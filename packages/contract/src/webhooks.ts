import { type Static, Type } from "typebox";
import { defineRoute } from "./route.ts";
import { dataOf, nullable } from "./schemas.ts";

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
    "`webhook-timestamp`, `webhook-signature`), which its libraries verify. For 24 hours after a rotation the secret " +
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
