export {
  type AgentChange,
  type AgentConfiguration,
  type AgentCreation,
  agentFields,
  type AgentStatus,
} from "./agent-configuration.ts";
export * from "./agent-versions.ts";
export * from "./agents.ts";
export * from "./analysis.ts";
export * from "./analytics.ts";
export * from "./api-keys.ts";
export * from "./call-traces.ts";
export * from "./calls.ts";
export * from "./conversations.ts";
export * from "./custom-tools.ts";
export * from "./environments.ts";
export * from "./errors.ts";
export {
  type ChangesOf,
  defaultsOf,
  type FieldTable,
  mergeFields,
  valueSchemas,
  type ValuesOf,
} from "./field-table.ts";
export * from "./folders.ts";
export * from "./instructions.ts";
export * from "./keys.ts";
export * from "./live-channel.ts";
export * from "./openapi.ts";
export * from "./organization.ts";
export * from "./phone-numbers.ts";
export * from "./recordings.ts";
export * from "./route.ts";
export * from "./routes.ts";
export * from "./schemas.ts";
export * from "./sip-trunks.ts";
export * from "./test-calls.ts";
export {
  type CallPostData,
  type CallPreData,
  type MessageReceivedData,
  type PreCallAnswer,
  preCallAnswerSchema,
  webhookBodySchema,
  webhooks,
  type WebhookType,
} from "./webhook-events.ts";
export * from "./webhooks.ts";
