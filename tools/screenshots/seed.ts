/** A platform that shows what the dashboard is for: agents, calls with results, settings, people. */
import { sampleAgent } from "@parley/contract/sample-agent";
import {
  SCRIPTED_ACCOUNT,
  type ScriptedChatReply,
  type ScriptedChatRequest,
  ScriptedTwilio,
} from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { readRecording } from "../../e2e/support/audio/recordings.ts";
import { TestCaller } from "../../e2e/support/phone/test-caller.ts";
import { createAgent, newestCallOf } from "../../e2e/support/platform/agents.ts";
import { Platform } from "../../e2e/support/platform/platform.ts";
import { startScriptedProviders } from "../../e2e/support/platform/scripted-providers.ts";
import { ToolServer } from "../../e2e/support/platform/tool-server.ts";
import { join, type Person, signUpOwner } from "../../e2e/support/web/people.ts";

const QUESTION = "Do you have a free appointment this week?";
export const ANSWER = "Yes, on Tuesday at ten. Shall I book it for you?";
const HANDBOOK = `# Harbor Dental

## Appointments

Free appointments are on Tuesdays and Thursdays, from eight to six. Emergencies are seen on the same day.

## Prices

A checkup costs 60 euros, a cleaning 85 euros.
`;
const CALLERS = 3;
const RESULTS_DEADLINE_MS = 120_000;

/** Names what the pages of one thing need in their addresses. */
export interface SeededPlatform {
  platform: Platform;
  owner: Person;
  agentId: string;
  trunkId: string;
  callId: string;
  organizationId: string;
  campaignId: string;
  contactId: string;
  connectionId: string;
  conversationId: string;
  customerId: string;
  suiteId: string;
  testId: string;
  runId: string;
  baseId: string;
  documentId: string;
  close: () => Promise<void>;
}

/** Uses the tool once, then answers; analyzes in JSON. */
function reply({ responseFormat, messages, tools }: ScriptedChatRequest): ScriptedChatReply {
  if (messages[0]?.content.startsWith("You judge") === true)
    return {
      text: JSON.stringify({
        reason: "The agent offered Tuesday at ten and asked whether to book it.",
        evidence: ["on Tuesday at ten"],
        verdict: "pass",
      }),
    };
  if (responseFormat !== undefined)
    return {
      text: JSON.stringify({
        extraction: { topic: "appointment", is_new_patient: true },
        evaluation: { polite: { reason: "It greeted, answered and offered help.", result: "pass" } },
      }),
    };
  if (messages.some(({ role }) => role === "tool") || !tools.includes("find_appointment"))
    return { text: ANSWER };
  return { toolCalls: [{ name: "find_appointment", input: { week: "this week" } }] };
}

export async function startSeeded(): Promise<SeededPlatform> {
  const providers = await startScriptedProviders(QUESTION, reply);
  const customer = await ToolServer.start(
    (_request, response) => void response.end('{"free":"Tuesday 10:00"}'),
  );
  const twilio = await ScriptedTwilio.start();
  const platform = await Platform.start({
    env: (httpPort) => ({
      ...providers.env,
      PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true",
      PARLEY_TWILIO_BASE_URL: twilio.url,
      // Twilio signs the URL that it was given.
      PARLEY_PUBLIC_URL: `http://localhost:${httpPort}`,
    }),
  });
  const owner = await signUpOwner(platform);
  const { agentId, number, trunkId } = await createPractice(platform, customer.url);
  await join(platform, owner, "Bob", "member");
  await join(platform, owner, "Vera", "viewer");
  await owner.send("POST", "/v1/invitations", { email: "carl@example.com", role: "admin" });
  await owner.send("POST", "/operator/v1/organizations", { name: "Tram museum", limits: { agents: 5 } });
  await platform.api.createApiKey({ name: "CRM", role: "member" });
  await platform.api.rotateWebhookSigningSecret();
  await platform.api.importDoNotCall({ csv: "phoneNumber\n+14155550190\n+14155550191\n" });
  const knowledge = await addKnowledge(platform, agentId);
  const callId = await placeCalls(platform, agentId, number);
  const campaign = await createCampaign(platform, agentId, number);
  const messages = await exchangeMessages(platform, twilio, agentId);
  const tests = await runTests(platform, agentId);
  const { id: organizationId } = await platform.api.getOrganization();
  const close = async (): Promise<void> => {
    await platform.stop();
    customer.close();
    await twilio.close();
    await providers.close();
  };
  return {
    platform,
    owner,
    agentId,
    trunkId,
    callId,
    organizationId,
    ...campaign,
    ...messages,
    ...tests,
    ...knowledge,
    close,
  };
}

/** The agent with a tool, an environment and a few versions, on a trunk whose server does not exist. */
async function createPractice(platform: Platform, customerUrl: string) {
  const { api } = platform;
  const { agentId, number, sipTrunkId } = await createAgent(platform, {
    ...sampleAgent,
    voiceId: null,
    postCallWebhookUrl: `${customerUrl}/call-ended`,
    postCallExtraction: [
      { name: "topic", type: "string", description: "What the caller asks about" },
      { name: "is_new_patient", type: "boolean", description: "Whether the caller is a new patient" },
    ],
    postCallEvaluation: [{ name: "polite", criterion: "The agent was polite." }],
  });
  const parameters = { type: "object", properties: { week: { type: "string" } } };
  await api.createCustomTool(agentId, {
    name: "find_appointment",
    webhookUrl: `${customerUrl}/appointments`,
    schema: {
      type: "function",
      function: { name: "find_appointment", description: "Finds a free appointment.", parameters },
    },
  });
  await api.updateAgent(agentId, { publishMode: "manual" });
  await api.publishAgent(agentId);
  await api.putEnvironment(agentId, "staging", { variables: { practice: "Harbour Dental" } });
  const { id: folderId } = await api.createFolder({ name: "Practices" });
  await api.updateAgent(agentId, {
    folderId,
    turnTimeoutSeconds: 12,
    promptTemplate: sampleAgent.promptTemplate.replace("short, friendly sentences", "short sentences"),
  });
  await api.updateSipTrunk(sipTrunkId, {
    friendlyName: "Carrier",
    proxyAddress: "127.0.0.1:9",
    transport: "tcp",
  });
  return { agentId, number, trunkId: sipTrunkId };
}

/** A knowledge base of the agent with a document that is ready and one that cannot be read. */
async function addKnowledge({ api }: Platform, agentId: string) {
  const { id: baseId } = await api.createKnowledgeBase({
    name: "Practice handbook",
    description: "Appointments, prices and directions.",
  });
  const { id: documentId } = await api.createKnowledgeDocument(baseId, {
    name: "handbook.md",
    document: new Blob([HANDBOOK]),
  });
  await api.createKnowledgeDocument(baseId, { name: "scan.pdf", document: new Blob(["no PDF"]) });
  const isReady = async () => (await api.getKnowledgeDocument(baseId, documentId)).status === "ready";
  await waitFor("the document", isReady, RESULTS_DEADLINE_MS);
  await api.updateAgent(agentId, { knowledgeBaseIds: [baseId] });
  return { baseId, documentId };
}

async function createCampaign({ api }: Platform, agentId: string, fromNumber: string) {
  const { id: campaignId } = await api.createCampaign({
    name: "Recall patients",
    agentId,
    fromNumber,
    contacts: [{ toNumber: "+14155550121", variables: { name: "Carl" } }, { toNumber: "+14155550122" }],
  });
  const { data } = await api.listCampaignContacts(campaignId);
  return { campaignId, contactId: data[0]?.id ?? "" };
}

/** A text message of a customer and the agent's reply. */
async function exchangeMessages({ api }: Platform, twilio: ScriptedTwilio, agentId: string) {
  const { id: connectionId, config } = await api.createMessagingConnection(SCRIPTED_ACCOUNT);
  const to = "+14155550100";
  await api.updateAgent(agentId, {
    messagingConnectionId: connectionId,
    messagingConfig: { fromNumber: to },
    phoneMemoryEnabled: true,
  });
  await api.publishAgent(agentId);
  await twilio.deliver(config.inboundMessageUrl ?? "", { from: "+14155550123", to, body: QUESTION });
  const reply = await waitFor("the reply at Twilio", () => twilio.messages[0]);
  await twilio.report(reply, "delivered");
  const { data } = await api.listConversations({ agentId, channel: "sms" });
  const [conversation] = data;
  return {
    connectionId,
    conversationId: conversation?.id ?? "",
    customerId: conversation?.customerId ?? "",
  };
}

/** A suite with a case that passes and one that does not, and two runs of it. */
async function runTests({ api }: Platform, agentId: string) {
  const { id: suiteId } = await api.createTestSuite({ name: "Appointments", agentId, mode: "chat" });
  const { id: testId } = await api.createTestCase(suiteId, {
    name: "Asks for a free appointment",
    callerLines: [QUESTION, "Thank you, goodbye."],
    scoringRubric: "The agent offers a time.",
    assertions: [
      { type: "tool_called", toolName: "find_appointment", arguments: { week: "this week" } },
      { type: "said", text: "on Tuesday at ten" },
    ],
    toolMocks: [{ toolName: "find_appointment", answers: [{ text: '{"free":"Tuesday 10:00"}' }] }],
  });
  await api.createTestCase(suiteId, {
    name: "Says goodbye first",
    callerLines: ["Goodbye."],
    assertions: [{ type: "end_reason", endReason: "agent_hangup" }],
    attemptsPerRun: 2,
  });
  let runId = "";
  for (const name of ["First try", "Before the release"]) {
    ({ id: runId } = await api.startTestRun(suiteId, { name }));
    const isCompleted = async () => (await api.getTestRun(suiteId, runId)).status === "completed";
    await waitFor(`the run ${name}`, isCompleted, RESULTS_DEADLINE_MS);
  }
  return { suiteId, testId, runId };
}

/** Calls in both directions. Returns the one with most to show, once its results are there. */
async function placeCalls(platform: Platform, agentId: string, number: string): Promise<string> {
  await platform.api.createCall({ agentId, toNumber: "+14155550123" });
  const findNewest = newestCallOf(platform, agentId);
  let callId = "";
  for (let index = 0; index < CALLERS; index++) {
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: `+1555088000${index}` });
    await caller.agentToFinish();
    if (index > 0) {
      await caller.say(await readRecording("go-forward.wav"));
      await caller.agentToSpeak();
      await caller.agentToFinish();
    }
    callId = (await findNewest())?.id ?? "";
    await caller.hangUp();
    await caller.close();
  }
  await waitFor(
    "the results of the call",
    async () => {
      const { recordingStatus, analysisStatus } = await platform.api.getCall(callId);
      return recordingStatus === "ready" && analysisStatus === "ready";
    },
    RESULTS_DEADLINE_MS,
  );
  return callId;
}
