import {
  disableSigningRoute,
  getDeliveryRoute,
  getSigningRoute,
  listDeliveriesRoute,
  resendDeliveryRoute,
  rotateSigningSecretRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { SigningSecretsService } from "./signing-secrets.service.ts";
import type { WebhookDeliveriesService } from "./webhook-deliveries.service.ts";

export function bindWebhookRoutes(
  app: FastifyInstance,
  secrets: SigningSecretsService,
  deliveries: WebhookDeliveriesService,
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
}
