import { disableSigningRoute, getSigningRoute, rotateSigningSecretRoute } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { SigningSecretsService } from "./signing-secrets.service.ts";

export function bindWebhookRoutes(app: FastifyInstance, secrets: SigningSecretsService): void {
  bindRoute(app, rotateSigningSecretRoute, async ({ principal }) => ({
    data: await secrets.rotate(principal.organizationId),
  }));
  bindRoute(app, getSigningRoute, async ({ principal }) => ({
    data: await secrets.get(principal.organizationId),
  }));
  bindRoute(app, disableSigningRoute, async ({ principal }) => ({
    data: await secrets.disable(principal.organizationId),
  }));
}
