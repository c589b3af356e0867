import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { RecordingsService } from "../recordings/recordings.service.ts";
import { PostCallWebhook } from "./post-call-webhook.ts";
import { PreCallWebhook } from "./pre-call-webhook.ts";
import { encryptedSigningSecrets, SigningSecretsService } from "./signing/signing-secrets.service.ts";
import { ToolSigning } from "./signing/tool-signing.ts";
import { WebhookDeliveriesService } from "./webhook-deliveries.service.ts";
import { WebhookDelivery } from "./webhook-delivery.ts";
import { WebhookTests } from "./webhook-tests.service.ts";
import { WebhookSender } from "./webhook-sender.ts";
import { deleteOldWebhooksJob, deliverWebhooksJob } from "./webhooks.jobs.ts";
import { bindWebhookRoutes } from "./webhooks.routes.ts";
import { WebhooksService } from "./webhooks.service.ts";

interface Dependencies {
  agents: AgentsService;
  calls: CallsService;
  recordings: RecordingsService;
  organizationLimits: OrganizationLimitsService;
}

export function createWebhooks(
  { config, database, encryption, jobs, clock, logger }: NodeResources,
  { agents, calls, recordings, organizationLimits }: Dependencies,
) {
  const client = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  const webhooks = new WebhooksService(jobs, organizationLimits);
  const signingSecrets = new SigningSecretsService(database, encryption, clock);
  const sender = new WebhookSender({ client, signingSecrets, clock });
  const postCall = new PostCallWebhook({ calls, recordings, webhooks });
  postCall.subscribe();
  const delivery = new WebhookDelivery({ database, sender, webhooks, calls, postCall });
  const tests = new WebhookTests({ sender, agents, clock });
  const webhookDeliveries = new WebhookDeliveriesService(database, webhooks);
  return {
    services: {
      webhooks,
      signingSecrets,
      preCall: new PreCallWebhook({ database, sender, webhooks, logger, clock }),
      toolSigning: new ToolSigning({ signingSecrets, clock, logger }),
    },
    encryptedColumns: encryptedSigningSecrets,
    bindRoutes: (app) => bindWebhookRoutes(app, { signingSecrets, webhookDeliveries, tests }),
    startJobs: async (worker) => {
      await worker.work(deleteOldWebhooksJob(database, clock));
      await worker.work(deliverWebhooksJob(delivery));
    },
    close: async () => {
      delivery.close();
      tests.close();
      await client.close();
    },
  } satisfies Feature;
}
