import * as versions from "./agent-versions.ts";
import * as agents from "./agents.ts";
import * as analysis from "./analysis.ts";
import * as analytics from "./analytics.ts";
import * as apiKeys from "./api-keys.ts";
import * as callTraces from "./call-traces.ts";
import * as calls from "./calls.ts";
import * as conversations from "./conversations.ts";
import * as customTools from "./custom-tools.ts";
import * as environments from "./environments.ts";
import * as folders from "./folders.ts";
import * as instructions from "./instructions.ts";
import * as organization from "./organization.ts";
import * as phoneNumbers from "./phone-numbers.ts";
import * as recordings from "./recordings.ts";
import type { RouteDefinition } from "./route.ts";
import * as sipTrunks from "./sip-trunks.ts";
import * as testCalls from "./test-calls.ts";
import * as webhooks from "./webhooks.ts";

/** Every operation of the API, in the order of the reference. */
export const routes: readonly RouteDefinition[] = [
  agents.createAgentRoute,
  agents.listAgentsRoute,
  agents.getAgentRoute,
  agents.updateAgentRoute,
  agents.deleteAgentRoute,
  customTools.createCustomToolRoute,
  customTools.listCustomToolsRoute,
  customTools.getCustomToolRoute,
  customTools.updateCustomToolRoute,
  customTools.deleteCustomToolRoute,
  versions.listAgentVersionsRoute,
  versions.getAgentVersionRoute,
  versions.restoreAgentVersionRoute,
  versions.publishAgentRoute,
  environments.putEnvironmentRoute,
  environments.listEnvironmentsRoute,
  environments.deleteEnvironmentRoute,
  folders.createFolderRoute,
  folders.listFoldersRoute,
  folders.getFolderRoute,
  folders.updateFolderRoute,
  folders.deleteFolderRoute,
  phoneNumbers.addPhoneNumberRoute,
  phoneNumbers.listAgentPhoneNumbersRoute,
  phoneNumbers.updatePhoneNumberRoute,
  phoneNumbers.deletePhoneNumberRoute,
  phoneNumbers.listPhoneNumbersRoute,
  sipTrunks.createSipTrunkRoute,
  sipTrunks.listSipTrunksRoute,
  sipTrunks.getSipTrunkRoute,
  sipTrunks.updateSipTrunkRoute,
  sipTrunks.deleteSipTrunkRoute,
  sipTrunks.checkSipTrunkRoute,
  testCalls.startTestCallRoute,
  calls.createCallRoute,
  calls.listCallsRoute,
  calls.getCallRoute,
  calls.hangUpCallRoute,
  analysis.reanalyzeCallRoute,
  instructions.instructCallRoute,
  recordings.getCallRecordingRoute,
  callTraces.getCallTraceRoute,
  callTraces.getCallTracePcapRoute,
  analytics.countActiveCallsRoute,
  analytics.countCallsPerDayRoute,
  analytics.measureCallDurationsRoute,
  analytics.countEndReasonsRoute,
  analytics.measureLatencyRoute,
  conversations.listConversationsRoute,
  conversations.getConversationRoute,
  webhooks.rotateSigningSecretRoute,
  webhooks.getSigningRoute,
  webhooks.disableSigningRoute,
  webhooks.listDeliveriesRoute,
  webhooks.getDeliveryRoute,
  webhooks.resendDeliveryRoute,
  organization.getOrganizationRoute,
  organization.updateOrganizationRoute,
  apiKeys.createApiKeyRoute,
  apiKeys.listApiKeysRoute,
  apiKeys.revokeApiKeyRoute,
];

export const tags: Readonly<Record<string, string>> = {
  Agents: "Who answers and places calls: prompt, voice, manners.",
  "Custom tools": "Webhooks that an agent calls during a conversation.",
  Versions: "What an agent was, who changed it, and which version calls run on.",
  Environments: "Named versions of an agent, with variables of their own.",
  Folders: "Order among agents.",
  "Phone numbers": "Which number reaches which agent.",
  "SIP trunks": "Connections to telephone carriers and PBXs.",
  Calls: "Every call, its outcome, transcript and latencies.",
  Analytics: "Counts over calls.",
  Conversations: "What was said, whatever the channel.",
  Webhooks: "What the platform tells your servers, and how they know that it is from it.",
  Organization: "What holds for all agents of an organization.",
  "API keys": "Access to this API.",
};
