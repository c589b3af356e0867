import {
  disableSigningRoute,
  getDeliveryRoute,
  getSigningRoute,
  listDeliveriesRoute,
  resendDeliveryRoute,
  rotateSigningSecretRoute,
  testWebhookRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { SigningSecretsService } from "./signing/signing-secrets.service.ts";
import type { WebhookTests } from "./webhook-tests.service.ts";
import type { WebhookDeliveriesService } from "./webhook-deliveries.service.ts";

interface WebhookServices {
  signingSecrets: SigningSecretsService;
  webhookDeliveries: WebhookDeliveriesService;
  tests: WebhookTests;
}

export function bindWebhookRoutes(
  app: FastifyInstance,
  { signingSecrets: secrets, webhookDeliveries: deliveries, tests }: WebhookServices,
): void {
  bindRoute(app, rotateSigningSecretRoute, async ({ principal }) => ({
    data: await secrets.rotate(principal.organizationId),
  }));
  bindRoute(app, getSigningRoute, async ({ principal }) => ({
    data: await secrets.get(principal.organizationId),
  }));
  bindRoute(app, disableSigningRoute, async ({ principal }) => ({
    data: await secrets.disable(principal.organizationId),
  }));
  bindRoute(app, listDeliveriesRoute, async ({ principal, query }) => {
    return await deliveries.list(principal.organizationId, query);
  });
  bindRoute(app, getDeliveryRoute, async ({ principal, params }) => ({
    data: await deliveries.get(principal.organizationId, params.id),
  }));
  bindRoute(app, resendDeliveryRoute, async ({ principal, params }) => ({
    data: await deliveries.resend(principal.organizationId, params.id),
  }));
  bindRoute(
    app,
    testWebhookRoute,
    async ({ principal, body }) => ({
      data: await tests.test(principal.organizationId, body.agentId, body.type ?? "call.post"),
    }),
    { isRemote: true },
  );
}
