import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { bindMessagingConnectionRoutes } from "./messaging-connections.routes.ts";
import { encryptedAuthTokens, MessagingConnectionsService } from "./messaging-connections.service.ts";
import { Twilio } from "./twilio.ts";

export function createMessagingConnections(
  { config, database, encryption, clock }: NodeResources,
  { organizationLimits }: { organizationLimits: OrganizationLimitsService },
) {
  const twilio = new Twilio({ baseUrl: config.twilioBaseUrl });
  const messagingConnections = new MessagingConnectionsService(database, {
    encryption,
    clock,
    organizationLimits,
    twilio,
    publicUrl: config.web.publicUrl,
  });
  return {
    services: { messagingConnections, twilio },
    encryptedColumns: [encryptedAuthTokens],
    bindRoutes: (app) => bindMessagingConnectionRoutes(app, messagingConnections),
    close: async () => await twilio.close(),
  } satisfies Feature;
}
