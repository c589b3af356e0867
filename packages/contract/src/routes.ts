import * as versions from "./agents/agent-versions.ts";
import * as agents from "./agents/agents.ts";
import * as analysis from "./analysis/analysis.ts";
import * as analytics from "./analysis/analytics.ts";
import * as apiKeys from "./organizations/api-keys.ts";
import * as campaignActivity from "./campaigns/campaign-activity.ts";
import * as campaignContacts from "./campaigns/campaign-contacts.ts";
import * as campaigns from "./campaigns/campaigns.ts";
import * as contactCheck from "./campaigns/contact-check.ts";
import * as doNotCall from "./campaigns/do-not-call.ts";
import * as sipTraces from "./calls/sip-traces.ts";
import * as callDeletion from "./calls/call-deletion.ts";
import * as calls from "./calls/calls.ts";
import * as chats from "./conversations/chats.ts";
import * as conversations from "./conversations/conversations.ts";
import * as customers from "./customers/customers.ts";
import * as customToolTest from "./agents/custom-tool-test.ts";
import * as customTools from "./agents/custom-tools.ts";
import * as environments from "./agents/environments.ts";
import * as folders from "./organizations/folders.ts";
import * as instructions from "./calls/instructions.ts";
import * as access from "./identity/access.ts";
import * as auditLog from "./identity/audit-log.ts";
import * as knowledgeBases from "./knowledge-bases/knowledge-bases.ts";
import * as knowledgeDocuments from "./knowledge-bases/knowledge-documents.ts";
import * as messages from "./messaging/messages.ts";
import * as messagingConnections from "./messaging/messaging-connections.ts";
import * as members from "./identity/members.ts";
import * as organization from "./organizations/organization.ts";
import * as modelsAndLanguages from "./providers/models-and-languages.ts";
import * as providerKeys from "./providers/provider-keys.ts";
import * as voices from "./providers/voices.ts";
import * as phoneNumbers from "./phone-numbers/phone-numbers.ts";
import * as recordings from "./calls/recordings.ts";
import type { RouteDefinition } from "./route.ts";
import * as sipTrunks from "./sip-trunks/sip-trunks.ts";
import * as testCalls from "./calls/test-calls.ts";
import * as testCases from "./test-suites/test-cases.ts";
import * as testRuns from "./test-suites/test-runs.ts";
import * as testSuiteTools from "./test-suites/test-suite-tools.ts";
import * as testSuites from "./test-suites/test-suites.ts";
import * as widgetSecret from "./widget/widget-secret.ts";
import * as webhookTest from "./webhooks/webhook-test.ts";
import * as webhooks from "./webhooks/webhooks.ts";

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
  customToolTest.testCustomToolRoute,
  versions.listAgentVersionsRoute,
  versions.getAgentVersionRoute,
  versions.restoreAgentVersionRoute,
  versions.publishAgentRoute,
  environments.putEnvironmentRoute,
  environments.listEnvironmentsRoute,
  environments.getEnvironmentRoute,
  environments.deleteEnvironmentRoute,
  widgetSecret.rotateWidgetSecretRoute,
  widgetSecret.getWidgetSecretRoute,
  widgetSecret.deleteWidgetSecretRoute,
  folders.createFolderRoute,
  folders.listFoldersRoute,
  folders.getFolderRoute,
  folders.updateFolderRoute,
  folders.deleteFolderRoute,
  voices.listVoicesRoute,
  voices.getVoiceRoute,
  voices.previewVoiceRoute,
  voices.createVoiceRoute,
  voices.updateVoiceRoute,
  voices.deleteVoiceRoute,
  modelsAndLanguages.listModelsRoute,
  modelsAndLanguages.listLanguagesRoute,
  phoneNumbers.addPhoneNumberRoute,
  phoneNumbers.listAgentPhoneNumbersRoute,
  phoneNumbers.updatePhoneNumberRoute,
  phoneNumbers.deletePhoneNumberRoute,
  phoneNumbers.deleteUnboundPhoneNumberRoute,
  phoneNumbers.listPhoneNumbersRoute,
  phoneNumbers.getPhoneNumberRoute,
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
  callDeletion.deleteCallRoute,
  callDeletion.deleteCallRecordingRoute,
  callDeletion.deleteCallTranscriptRoute,
  analysis.reanalyzeCallRoute,
  instructions.instructCallRoute,
  recordings.getCallRecordingRoute,
  sipTraces.getCallTraceRoute,
  sipTraces.getCallTracePcapRoute,
  analytics.countActiveCallsRoute,
  analytics.countCallsPerDayRoute,
  analytics.measureCallDurationsRoute,
  analytics.countEndReasonsRoute,
  analytics.measureLatencyRoute,
  campaigns.createCampaignRoute,
  campaigns.listCampaignsRoute,
  campaigns.getCampaignRoute,
  campaigns.updateCampaignRoute,
  campaignActivity.getCampaignActivityRoute,
  campaignContacts.addCampaignContactsRoute,
  campaignContacts.listCampaignContactsRoute,
  campaignContacts.getCampaignContactRoute,
  campaignContacts.exportCampaignContactsRoute,
  contactCheck.checkContactsRoute,
  campaigns.startCampaignRoute,
  campaigns.pauseCampaignRoute,
  campaigns.resumeCampaignRoute,
  campaigns.cancelCampaignRoute,
  campaigns.deleteCampaignRoute,
  testSuites.createTestSuiteRoute,
  testSuites.listTestSuitesRoute,
  testSuites.getTestSuiteRoute,
  testSuites.updateTestSuiteRoute,
  testSuites.deleteTestSuiteRoute,
  testCases.createTestCaseRoute,
  testSuiteTools.createTestCaseFromCallRoute,
  testCases.listTestCasesRoute,
  testCases.getTestCaseRoute,
  testCases.updateTestCaseRoute,
  testCases.deleteTestCaseRoute,
  testRuns.startTestRunRoute,
  testRuns.listTestRunsRoute,
  testRuns.getTestRunRoute,
  testRuns.cancelTestRunRoute,
  testSuiteTools.compareTestRunsRoute,
  doNotCall.addDoNotCallRoute,
  doNotCall.listDoNotCallRoute,
  doNotCall.getDoNotCallRoute,
  doNotCall.deleteDoNotCallRoute,
  doNotCall.importDoNotCallRoute,
  doNotCall.exportDoNotCallRoute,
  doNotCall.getDoNotCallSettingsRoute,
  doNotCall.updateDoNotCallSettingsRoute,
  providerKeys.listProvidersRoute,
  providerKeys.checkProviderRoute,
  providerKeys.createProviderKeyRoute,
  providerKeys.listProviderKeysRoute,
  providerKeys.getProviderKeyRoute,
  providerKeys.deleteProviderKeyRoute,
  messagingConnections.createMessagingConnectionRoute,
  messagingConnections.listMessagingConnectionsRoute,
  messagingConnections.getMessagingConnectionRoute,
  messagingConnections.updateMessagingConnectionRoute,
  messagingConnections.deleteMessagingConnectionRoute,
  messagingConnections.checkMessagingConnectionRoute,
  messages.sendMessageRoute,
  messages.listMessagesRoute,
  messages.getMessageRoute,
  messages.deleteMessageRoute,
  conversations.listConversationsRoute,
  conversations.getConversationRoute,
  chats.startTestChatRoute,
  chats.sendChatMessageRoute,
  chats.streamConversationEventsRoute,
  chats.instructConversationRoute,
  chats.deleteConversationRoute,
  customers.listCustomersRoute,
  customers.getCustomerRoute,
  customers.deleteCustomerRoute,
  knowledgeBases.createKnowledgeBaseRoute,
  knowledgeBases.listKnowledgeBasesRoute,
  knowledgeBases.getKnowledgeBaseRoute,
  knowledgeBases.updateKnowledgeBaseRoute,
  knowledgeBases.deleteKnowledgeBaseRoute,
  knowledgeBases.searchKnowledgeBaseRoute,
  knowledgeDocuments.createKnowledgeDocumentRoute,
  knowledgeDocuments.addKnowledgeWebsiteRoute,
  knowledgeDocuments.syncKnowledgeDocumentRoute,
  knowledgeDocuments.listKnowledgeDocumentsRoute,
  knowledgeDocuments.getKnowledgeDocumentRoute,
  knowledgeDocuments.updateKnowledgeDocumentRoute,
  knowledgeDocuments.deleteKnowledgeDocumentRoute,
  knowledgeDocuments.listKnowledgeDocumentPassagesRoute,
  webhooks.rotateSigningSecretRoute,
  webhooks.getSigningRoute,
  webhooks.disableSigningRoute,
  webhooks.listDeliveriesRoute,
  webhooks.getDeliveryRoute,
  webhooks.resendDeliveryRoute,
  webhookTest.testWebhookRoute,
  organization.getOrganizationRoute,
  organization.updateOrganizationRoute,
  access.getAccessRoute,
  members.listMembersRoute,
  members.updateMemberRoute,
  members.removeMemberRoute,
  members.createInvitationRoute,
  members.listInvitationsRoute,
  members.withdrawInvitationRoute,
  auditLog.listAuditLogRoute,
  apiKeys.createApiKeyRoute,
  apiKeys.listApiKeysRoute,
  apiKeys.updateApiKeyRoute,
  apiKeys.revokeApiKeyRoute,
];

export const tags: Readonly<Record<string, string>> = {
  Agents: "The configuration that answers and places calls: prompt, voice, call handling.",
  "Custom tools": "HTTP endpoints of yours that an agent calls during a conversation.",
  Versions: "An agent's version history, restoring, and publishing.",
  Environments: "Named targets of an agent, each with a pinned revision and its own variables.",
  Folders: "Groups of agents.",
  "Voices, models and languages": "What agents can speak with, think with, and understand on this server.",
  "Phone numbers": "Phone numbers and the agents that answer them.",
  "SIP trunks": "Connections to carriers and PBXs.",
  Calls: "Phone and browser calls with their outcome, transcript and latency.",
  Analytics: "Aggregates over calls.",
  Campaigns: "Lists of contacts that an agent calls, at the contacts' local time, with retries and a pace.",
  "Test suites": "Conversations of a tester with an agent, judged: cases, runs and their results.",
  "Do not call":
    "Phone numbers that the organization does not call, and how often campaigns call the others.",
  Providers: "Providers of speech and language models: keys of the organization, and their health.",
  "Messaging connections": "Accounts at messaging providers.",
  Messages: "Text messages that agents and your programs send and receive.",
  Conversations: "Transcripts on every channel.",
  Customers: "Other sides of conversations that agents recognize, and what is stored of them.",
  "Knowledge bases": "Documents from which agents answer, and the search in them.",
  Webhooks: "Signatures and the delivery log of the events that Parley sends to your servers.",
  "Webhook events": "Requests that Parley sends to your servers.",
  Organization: "Settings that apply to all agents of an organization.",
  Members: "People in the organization, and invitations.",
  "API keys": "Credentials for this API.",
  Widget:
    "What pages with an agent's widget do for a visitor: the base path is `/widget`, and the credential a session's token in `Authorization: Bearer`. Pages of any origin may send requests; `Origin` is compared with the agent's `allowedDomains`. Pages of this server are always allowed.",
  "Sign-in":
    "Sessions of people: the base path is `/auth`, and the credential a cookie that these operations set. A write needs the header `Origin` of this server.",
  Operator:
    "Organizations of this installation, for its operator: the base path is `/operator/v1`, and the credential is the key of `PARLEY_OPERATOR_API_KEY` in `x-api-key`, or the session of a user who is operator.",
};
