export {
  type AgentChange,
  type AgentConfiguration,
  type AgentCreation,
  agentFields,
  type AgentStatus,
} from "./agents/agent-configuration.ts";
export * from "./agents/agent-versions.ts";
export {
  type FlowDefinition,
  flowDefinitionSchema,
  type FlowNode,
  flowNodeSchema,
  MAX_FLOW_NODES,
  MAX_FLOW_SLOTS,
  MAX_SLOT_CHARACTERS,
} from "./agents/flows/flow-definition.ts";
export * from "./agents/agents.ts";
export { sampleFlows } from "./agents/flows/sample-flows.ts";
export * from "./analysis/analysis.ts";
export * from "./analysis/analytics.ts";
export * from "./organizations/api-keys.ts";
export * from "./calls/sip-traces.ts";
export {
  type Call,
  type CallDetail,
  type CallEndReason,
  callEndReasons,
  callSchema,
  type CallStatus,
  callStatuses,
} from "./calls/call.ts";
export { type CallLatency, type Turn, turnLatencySchema, turnSchema } from "./calls/call-latency.ts";
export type { CallQuality } from "./calls/call-quality.ts";
export type { CallEvaluation, CallExtraction, CallResultStatus } from "./calls/call-results.ts";
export * from "./calls/call-deletion.ts";
export * from "./calls/calls.ts";
export * from "./providers/provider-keys.ts";
export {
  MAX_RECORDED_PROVIDER_FAILURES,
  type ProviderFailure,
  providerFailureSchema,
} from "./calls/provider-failures.ts";
export * from "./campaigns/campaign-activity.ts";
export * from "./campaigns/campaign-contacts.ts";
export type { CallingWindow } from "./campaigns/calling-window.ts";
export {
  type Campaign,
  type CampaignChange,
  type CampaignCreation,
  type CampaignStatus,
  campaignStatuses,
  type PauseReason,
  pauseReasons,
  type VoicemailStrategy,
} from "./campaigns/campaign.ts";
export * from "./campaigns/campaigns.ts";
export { defaultRetryPolicy, type RetriedOutcome, type RetryPolicy } from "./campaigns/retry-policy.ts";
export * from "./campaigns/contact-check.ts";
export * from "./campaigns/do-not-call.ts";
export * from "./conversations/chats.ts";
export * from "./conversations/conversations.ts";
export * from "./customers/customers.ts";
export * from "./agents/custom-tool-test.ts";
export * from "./agents/custom-tools.ts";
export * from "./agents/environments.ts";
export * from "./errors.ts";
export * from "./knowledge-bases/knowledge-bases.ts";
export * from "./knowledge-bases/knowledge-documents.ts";
export * from "./knowledge-bases/knowledge-passage.ts";
export {
  type ChangesOf,
  defaultsOf,
  type FieldTable,
  mergeFields,
  valueSchemas,
  type ValuesOf,
} from "./field-table.ts";
export {
  checkMessagingConnectionRoute,
  createMessagingConnectionRoute,
  DEFAULT_MESSAGES_PER_SECOND,
  deleteMessagingConnectionRoute,
  getMessagingConnectionRoute,
  listMessagingConnectionsRoute,
  type MessagingConnection,
  type MessagingConnectionCheck,
  type MessagingConnectionCreate,
  type MessagingConnectionUpdate,
  updateMessagingConnectionRoute,
} from "./messaging/messaging-connections.ts";
export * from "./messaging/messages.ts";
export * from "./organizations/folders.ts";
export * from "./calls/instructions.ts";
export * from "./identity/access.ts";
export * from "./identity/account-fields.ts";
export * from "./identity/audit-log.ts";
export * from "./identity/members.ts";
export * from "./identity/roles.ts";
export * from "./identity/account-links.ts";
export type { SignInResult } from "./identity/auth-route.ts";
export * from "./identity/auth-routes.ts";
export * from "./identity/sessions.ts";
export * from "./identity/two-factor.ts";
export * from "./keys.ts";
export * from "./calls/live-channel.ts";
export * from "./openapi.ts";
export * from "./operator/audit-log.ts";
export * from "./operator/diagnosis.ts";
export * from "./operator/nodes.ts";
export * from "./operator/organizations.ts";
export * from "./operator/phone-numbers.ts";
export * from "./operator/routes.ts";
export * from "./operator/users.ts";
export * from "./organizations/limits.ts";
export * from "./organizations/organization.ts";
export * from "./providers/models-and-languages.ts";
export * from "./providers/voices.ts";
export * from "./phone-numbers/phone-numbers.ts";
export * from "./calls/recordings.ts";
export * from "./route.ts";
export * from "./routes.ts";
export * from "./schemas.ts";
export * from "./sip-trunks/sip-trunks.ts";
export * from "./calls/test-calls.ts";
export * from "./test-suites/test-cases.ts";
export * from "./test-suites/test-expectations.ts";
export * from "./test-suites/test-runs.ts";
export * from "./test-suites/test-suite-tools.ts";
export * from "./test-suites/test-suites.ts";
export {
  type CallPostData,
  type CallPreData,
  type MessageReceivedData,
  type PreCallAnswer,
  preCallAnswerSchema,
  webhookBodySchema,
  webhooks,
  type WebhookType,
} from "./webhooks/webhook-events.ts";
export { type TestableWebhookType, testWebhookRoute, type WebhookTest } from "./webhooks/webhook-test.ts";
export * from "./webhooks/webhooks.ts";
export {
  endWidgetChatRoute,
  getWidgetChatRoute,
  MAX_CHAT_MESSAGE_CHARACTERS,
  sendWidgetMessageRoute,
  streamWidgetEventsRoute,
  type WidgetChat,
  type WidgetMessageCreation,
} from "./widget/widget-chat.ts";
export type { ChatActivity, ChatEndReason, WidgetEvent, WidgetMessage } from "./widget/widget-events.ts";
export { widgetRoutes } from "./widget/widget-routes.ts";
export * from "./widget/widget-secret.ts";
export {
  getWidgetSettingsRoute,
  startWidgetCallRoute,
  startWidgetSessionRoute,
  type WidgetCall,
  type WidgetCallCreation,
  type WidgetSession,
  type WidgetSessionCreation,
  type WidgetSettings,
  WIDGET_LANGUAGES,
} from "./widget/widget-sessions.ts";
