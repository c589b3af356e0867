import type { FastifyInstance } from "fastify";
import { createActiveCalls } from "../modules/active-calls/active-calls.module.ts";
import { createAgents } from "../modules/agents/agents.module.ts";
import { createAnalysis } from "../modules/analysis/analysis.module.ts";
import { createAnalytics } from "../modules/analytics/analytics.module.ts";
import { createApiKeys } from "../modules/api-keys/api-keys.module.ts";
import { createCallDeletion } from "../modules/call-deletion/call-deletion.module.ts";
import { createAuditLog } from "../modules/audit-log/audit-log.module.ts";
import { createCalls } from "../modules/calls/calls.module.ts";
import { createCampaigns } from "../modules/campaigns/campaigns.module.ts";
import { createChats } from "../modules/chats/chats.module.ts";
import { createCustomerDeletion } from "../modules/customer-deletion/customer-deletion.module.ts";
import { createCustomers } from "../modules/customers/customers.module.ts";
import { createWidget } from "../modules/widget/widget.module.ts";
import { createConversations } from "../modules/conversations/conversations.module.ts";
import type { Feature, NodeResources } from "../modules/feature.ts";
import { createCustomToolTests } from "../modules/custom-tool-tests/custom-tool-tests.module.ts";
import { createDoNotCall } from "../modules/do-not-call/do-not-call.module.ts";
import { createMessages } from "../modules/messages/messages.module.ts";
import { createMessagingConnections } from "../modules/messaging-connections/messaging-connections.module.ts";
import { createFolders } from "../modules/folders/folders.module.ts";
import { createIdentity } from "../modules/identity/identity.module.ts";
import { createNodes } from "../modules/nodes/nodes.module.ts";
import { createKnowledgeBases } from "../modules/knowledge-bases/knowledge-bases.module.ts";
import { createOperator } from "../modules/operator/operator.module.ts";
import { createOrganizations } from "../modules/organizations/organizations.module.ts";
import { createPhoneCalls } from "../modules/phone-calls/phone-calls.module.ts";
import { createPhoneNumbers } from "../modules/phone-numbers/phone-numbers.module.ts";
import { createRecordingFinishing } from "../modules/recording-finishing/recording-finishing.module.ts";
import { createProviderHealth } from "../modules/provider-health/provider-health.module.ts";
import { createProviderKeys } from "../modules/provider-keys/provider-keys.module.ts";
import { createProviderOffers } from "../modules/providers/providers.module.ts";
import { createRecordings } from "../modules/recordings/recordings.module.ts";
import { createSipTraces } from "../modules/sip-traces/sip-traces.module.ts";
import { createSipTrunks } from "../modules/sip-trunks/sip-trunks.module.ts";
import { createTestSuites } from "../modules/test-suites/test-suites.module.ts";
import { createVoices } from "../modules/voices/voices.module.ts";
import { createWebCalls } from "../modules/web-calls/web-calls.module.ts";
import { createWebhooks } from "../modules/webhooks/webhooks.module.ts";
import type { ClosingStack } from "../platform/closing-stack.ts";
import type { EncryptedColumn } from "../platform/encryption/reencryption.ts";
import type { Jobs } from "../platform/jobs/jobs.ts";

/** Features in the order of their start, with the services of all of them. */
class FeatureList<Node extends NodeResources, Services extends object> {
  readonly services: Services;
  readonly #node: Node;
  readonly #features: readonly Feature[];

  constructor(node: Node, services: Services, features: readonly Feature[] = []) {
    this.#node = node;
    this.services = services;
    this.#features = features;
  }

  /** Appends a feature, which may depend on the services of those before it. */
  add<Added extends object>(
    create: (node: Node, services: Services) => Feature<Added>,
  ): FeatureList<Node, Services & Added> {
    const feature = create(this.#node, this.services);
    const services = { ...this.services, ...feature.services };
    return new FeatureList(this.#node, services, [...this.#features, feature]);
  }

  get encryptedColumns(): readonly EncryptedColumn[] {
    return this.#features.flatMap((feature) => feature.encryptedColumns ?? []);
  }

  bindRoutes(app: FastifyInstance): void {
    for (const { bindRoutes } of this.#features) bindRoutes?.(app);
  }

  /** Closes all features with the node. */
  closeWith(started: ClosingStack): void {
    for (const { close } of this.#features) if (close !== undefined) started.add(async () => await close());
  }

  /** Runs what must precede listening, and starts background work. */
  async prepare(jobs: Pick<Jobs, "work">): Promise<void> {
    for (const { prepare } of this.#features) await prepare?.();
    for (const { startJobs } of this.#features) await startJobs?.(jobs);
  }

  /**
   * Starts all features; requires that HTTP and SIP listen. All features are drained before any other part of the node
   * closes.
   */
  async start(started: ClosingStack): Promise<void> {
    for (const { start, drain } of this.#features) {
      await start?.();
      if (drain !== undefined) started.add(drain);
    }
  }
}

/** Features of a node, dependencies first. A new feature is one line of this list. */
export function createFeatures<Node extends NodeResources>(node: Node) {
  return new FeatureList(node, {})
    .add(createOrganizations)
    .add(createIdentity)
    .add(createAuditLog)
    .add(createApiKeys)
    .add(createFolders)
    .add(createSipTrunks)
    .add(createMessagingConnections)
    .add(createProviderKeys)
    .add(createKnowledgeBases)
    .add(createVoices)
    .add(createProviderOffers)
    .add(createAgents)
    .add(createPhoneNumbers)
    .add(createOperator)
    .add(createConversations)
    .add(createCustomers)
    .add(createRecordings)
    .add(createCalls)
    .add(createProviderHealth)
    .add(createAnalytics)
    .add(createAnalysis)
    .add(createWebhooks)
    .add(createCustomToolTests)
    .add(createNodes)
    .add(createSipTraces)
    .add(createDoNotCall)
    .add(createActiveCalls)
    .add(createCallDeletion)
    .add(createRecordingFinishing)
    .add(createPhoneCalls)
    .add(createMessages)
    .add(createChats)
    .add(createCustomerDeletion)
    .add(createWebCalls)
    .add(createWidget)
    .add(createCampaigns)
    .add(createTestSuites);
}

export type Services = ReturnType<typeof createFeatures>["services"];
