/**
 * Every field of the agent changes a conversation. A field is proven by a change of what a conversation runs on (its setup),
 * or by a test that it names, which must exist. A new field without a row fails.
 */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  type AgentChange,
  type AgentCreation,
  agentFields,
  type FieldTable,
  sampleFlows,
} from "@parley/contract";
import { changeDocument, createDocument } from "../../agents/agent-document.rules.ts";
import { setUpConversation } from "./conversation-setup.rules.ts";

type Proof =
  /** The change of an agent with these fields changes the setup. */
  | { change: AgentChange; given?: Omit<AgentCreation, "name"> }
  /** A test that shows the effect: file and name. */
  | { test: readonly [file: string, name: string] }
  /** For people who look for the agent; no conversation depends on it. */
  | "organizes";

const by = (file: string, name: string): Proof => ({ test: [file, name] });
const knowing = { knowledgeBaseIds: ["0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11"] };
const connected = {
  messagingConnectionId: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11",
  messagingConfig: { sendMessageEnabled: true, fromNumber: "+14155550123" },
};
const transfers = {
  transferEnabled: true,
  transferRoutes: [{ to_number: "+14155550123", condition: "Always." }],
};
const warmly = (warmTransferConfig: NonNullable<AgentChange["warmTransferConfig"]>): Proof => ({
  change: { warmTransferConfig },
  given: { ...transfers, transferMode: "warm" },
});
const widgetLook = by("widget.int.test.ts", "pages learn of an agent what they show, and nothing else");

const proofs: Readonly<Record<string, Proof>> = {
  name: "organizes",
  folderId: "organizes",
  status: by(
    "message-replies.int.test.ts",
    "a number of no agent, inactive billing and a disabled agent are recorded and not answered",
  ),
  sipTrunkId: by("phone-numbers.int.test.ts", "a number of a trunk leads to its organization and agent"),
  messagingConnectionId: { change: { messagingConnectionId: null }, given: connected },
  promptTemplate: { change: { promptTemplate: "Sing." } },
  firstMessage: { change: { firstMessage: "Hi." } },
  firstMessageOutbound: { change: { firstMessageOutbound: "Hi." } },
  firstMessageDelayMs: { change: { firstMessageDelayMs: 500 } },
  startSpeaker: { change: { startSpeaker: "user" } },
  firstMessageMode: { change: { firstMessageMode: "generated" } },
  mode: { change: { mode: "flow" }, given: { flowDefinition: sampleFlows.survey } },
  flowDefinition: {
    change: { flowDefinition: sampleFlows.triage },
    given: { mode: "flow", flowDefinition: sampleFlows.survey },
  },
  defaultVariables: by(
    "test-calls.int.test.ts",
    "variables of any JSON scalar are kept as given and rendered as text",
  ),
  testVariables: by(
    "chats.int.test.ts",
    "a test chat runs the draft with its variables, streams the reply in parts, and is marked",
  ),
  language: { change: { language: "de" } },
  "phrases.fillers": { change: { phrases: { fillers: ["Hm."] } } },
  "phrases.noAnswer": { change: { phrases: { noAnswer: "No." } } },
  "phrases.repeatRequest": { change: { phrases: { repeatRequest: "Again?" } } },
  "phrases.apology": { change: { phrases: { apology: "Sorry." } } },
  "phrases.reminder": { change: { phrases: { reminder: "There?" } } },
  "phrases.farewell": { change: { phrases: { farewell: "Bye." } } },
  timezone: { change: { timezone: "Asia/Tokyo" }, given: { promptTemplate: "It is {{current_time}}." } },
  turnTimeoutSeconds: { change: { turnTimeoutSeconds: 5 } },
  silenceEndCallTimeoutSeconds: { change: { silenceEndCallTimeoutSeconds: 60 } },
  maxConversationDurationSeconds: { change: { maxConversationDurationSeconds: 60 } },
  llmModel: { change: { llmModel: "openai/gpt-4.1" } },
  llmTemperature: { change: { llmTemperature: 0.1 } },
  llmReasoningEffort: { change: { llmReasoningEffort: "high" } },
  runtimeConfig: { change: { runtimeConfig: { maxOutputTokens: 100 } } },
  voiceId: { change: { voiceId: "local/kokoro/af_heart" } },
  fallbackVoiceId: { change: { fallbackVoiceId: "local/kokoro/af_heart" } },
  voiceTemperature: { change: { voiceTemperature: 0.2 } },
  voiceSpeed: { change: { voiceSpeed: 1.5 } },
  voiceVolume: { change: { voiceVolume: 0.5 } },
  voiceTopP: by(
    "provider-settings.rules.test.ts",
    "the variation of a voice is accepted where its provider has it, and refused with the reason elsewhere",
  ),
  disableInterruptions: { change: { disableInterruptions: true } },
  interruptionThresholdMs: { change: { interruptionThresholdMs: 900 } },
  interruptionIgnoreWords: { change: { interruptionIgnoreWords: ["so"] } },
  defaultIgnoreWordsEnabled: { change: { defaultIgnoreWordsEnabled: false } },
  minInterruptionWords: { change: { minInterruptionWords: 3 } },
  sttKeyterms: { change: { sttKeyterms: ["Parley"] } },
  noiseCancellation: { change: { noiseCancellation: "off" } },
  endCallEnabled: { change: { endCallEnabled: false } },
  endCallRulesOverride: { change: { endCallRulesOverride: "Never." } },
  voicemailEnabled: { change: { voicemailEnabled: true } },
  voicemailAction: {
    change: { voicemailAction: "leave_message" },
    given: { voicemailEnabled: true, voicemailMessage: "Call back." },
  },
  voicemailMessage: {
    change: { voicemailMessage: "Call me." },
    given: { voicemailEnabled: true, voicemailAction: "leave_message", voicemailMessage: "Call back." },
  },
  transferEnabled: { change: { transferEnabled: false }, given: transfers },
  "transferRoutes.to_number": {
    change: { transferRoutes: [{ to_number: "+14155550124", condition: "Always." }] },
    given: transfers,
  },
  "transferRoutes.condition": {
    change: { transferRoutes: [{ to_number: "+14155550123", condition: "Never." }] },
    given: transfers,
  },
  "transferRoutes.extension": by(
    "cold-transfer.test.ts",
    "if the trunk declines, both are connected here: voices, keys, and the end by the person",
  ),
  "transferRoutes.dialTimeoutSeconds": {
    change: { transferRoutes: [{ to_number: "+14155550123", condition: "Always.", dialTimeoutSeconds: 9 }] },
    given: transfers,
  },
  "transferRoutes.waitForHumanSeconds": by(
    "active-call.test.ts",
    "in warm transfers the shorter of the agent's and the route's limits applies",
  ),
  transferMode: { change: { transferMode: "warm" }, given: transfers },
  "warmTransferConfig.holdMessage": warmly({ holdMessage: "One moment." }),
  "warmTransferConfig.holdMusicEnabled": warmly({ holdMusicEnabled: false }),
  "warmTransferConfig.summaryPrompt": warmly({ summaryPrompt: "Name the product." }),
  "warmTransferConfig.introMessage": warmly({ introMessage: "You are connected." }),
  "warmTransferConfig.continueRecordingAfterTransfer": warmly({ continueRecordingAfterTransfer: true }),
  "warmTransferConfig.callerIdMode": by(
    "transfer.rules.test.ts",
    "the person sees the agent's number, or the caller's if it is shown and a number",
  ),
  "warmTransferConfig.dialTimeoutSeconds": by(
    "active-call.test.ts",
    "in warm transfers the shorter of the agent's and the route's limits applies",
  ),
  "warmTransferConfig.waitForHumanSeconds": by(
    "active-call.test.ts",
    "in warm transfers the shorter of the agent's and the route's limits applies",
  ),
  transferDescriptionOverride: { change: { transferDescriptionOverride: "Rarely." }, given: transfers },
  playKeypadTouchToneEnabled: { change: { playKeypadTouchToneEnabled: true } },
  playKeypadTouchToneDescriptionOverride: {
    change: { playKeypadTouchToneDescriptionOverride: "Rarely." },
    given: { playKeypadTouchToneEnabled: true },
  },
  recordingEnabled: { change: { recordingEnabled: false } },
  preCallWebhookUrl: by(
    "webhooks.test.ts",
    "the pre-call webhook sets variables and the first message, and all requests of the call are signed",
  ),
  postCallWebhookUrl: by(
    "webhooks.test.ts",
    "the pre-call webhook sets variables and the first message, and all requests of the call are signed",
  ),
  "postCallExtraction.*": by(
    "analysis.int.test.ts",
    "a conversation by text is analyzed at its end, as a conversation by text",
  ),
  "postCallEvaluation.*": by(
    "analysis.int.test.ts",
    "a conversation by text is analyzed at its end, as a conversation by text",
  ),
  "messagingConfig.smsPrompt": by(
    "message-replies.int.test.ts",
    "an inbound message is answered at once, recorded, and replied to from the number it was sent to",
  ),
  "messagingConfig.inboundMode": by(
    "message-replies.int.test.ts",
    "webhook mode only forwards, off mode only records, and each message is announced once, signed",
  ),
  "messagingConfig.inboundWebhookUrl": by(
    "message-replies.int.test.ts",
    "webhook mode only forwards, off mode only records, and each message is announced once, signed",
  ),
  "messagingConfig.fromNumber": { change: { messagingConfig: { fromNumber: null } }, given: connected },
  "messagingConfig.sendMessageEnabled": {
    change: { messagingConfig: { sendMessageEnabled: false } },
    given: connected,
  },
  "messagingConfig.sendMessageDescriptionOverride": {
    change: { messagingConfig: { sendMessageDescriptionOverride: "Rarely." } },
    given: connected,
  },
  "messagingConfig.conversationIdleResetDays": by(
    "message-replies.int.test.ts",
    "a new conversation begins after conversationIdleResetDays, and continues before",
  ),
  knowledgeBaseIds: { change: knowing },
  knowledgeBaseRetrievalMode: { given: knowing, change: { knowledgeBaseRetrievalMode: "tool" } },
  knowledgeBaseChunks: { given: knowing, change: { knowledgeBaseChunks: 3 } },
  knowledgeBaseSimilarityThreshold: { given: knowing, change: { knowledgeBaseSimilarityThreshold: 0.5 } },
  phoneMemoryEnabled: by(
    "customers.int.test.ts",
    "a number is remembered over calls and messages only if the agent switches it on",
  ),
  "widgetConfig.enabled": by(
    "widget.int.test.ts",
    "without chat mode, billing or an active agent nobody writes",
  ),
  "widgetConfig.modes.*": by(
    "widget.int.test.ts",
    "without chat mode, billing or an active agent nobody writes",
  ),
  "widgetConfig.continuity.resumeCalls": by(
    "widget.int.test.ts",
    "a visitor's call runs the widget's agent, and knows what was written if memory is shared",
  ),
  "widgetConfig.continuity.sharedMemory": by(
    "widget.int.test.ts",
    "a chat knows what was said in a call if memory is shared, and otherwise not",
  ),
  "widgetConfig.allowedDomains": by(
    "widget.int.test.ts",
    "every operation refuses pages of other hosts, and tokens of other pages, widgets and visitors",
  ),
  "widgetConfig.webchatPrompt": by(
    "chats.int.test.ts",
    "a chat keeps the configuration that it began with, its web chat prompt included",
  ),
  "widgetConfig.appearance.*": widgetLook,
  "widgetConfig.limits.*": by(
    "widget.int.test.ts",
    "a visitor writes no more than messagesPerDay, and again a day later",
  ),
  "widgetConfig.environment": by(
    "widget.int.test.ts",
    "a chat keeps the environment that it began with; a deleted one is production",
  ),
};

/** Paths of all fields. */
function listFields(table: FieldTable, prefix = ""): string[] {
  return Object.entries(table).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = "fields" in field ? field.fields : "items" in field ? field.items : undefined;
    return inner === undefined ? [path] : listFields(inner, `${path}.`);
  });
}

/** The row of a field: its own, or that of its group. */
function proofOf(path: string): Proof | undefined {
  return proofs[path] ?? proofs[path.replace(/\.[^.]+$/, ".*")];
}

/** What an outbound phone call of the agent runs on. */
function setupOf(document: ReturnType<typeof createDocument>): unknown {
  return setUpConversation({
    callId: "id",
    conversationId: "id",
    agent: {
      id: "id",
      organizationId: "id",
      environment: null,
      agentRevision: null,
      configurationRevision: 1,
      variables: {},
      document,
    },
    variables: {},
    channel: "phone",
    direction: "outbound",
    fromNumber: "+14155550100",
    toNumber: "+14155550199",
    at: new Date("2026-11-23T12:00:00Z"),
  }).setup;
}

const fields = listFields(agentFields);

test("every field that the API accepts has a proof, and every proof a field", () => {
  const lacking = fields.filter((path) => proofOf(path) === undefined);
  assert.deepEqual(lacking, []);
  const rows = new Set(fields.flatMap((path) => [path, path.replace(/\.[^.]+$/, ".*")]));
  assert.deepEqual(
    Object.keys(proofs).filter((path) => !rows.has(path)),
    [],
  );
});

test("each change in the table changes what a conversation runs on", () => {
  for (const [path, proof] of Object.entries(proofs)) {
    if (typeof proof === "string" || !("change" in proof)) continue;
    const before = createDocument({ name: "Ada", ...proof.given });
    const [one, other] = [setupOf(before), setupOf(changeDocument(before, proof.change))];
    assert.notDeepEqual(other, one, path);
  }
});

test("each test in the table exists", async () => {
  const files = new Map<string, string>();
  for await (const file of glob("{apps,packages,e2e}/**/*.test.ts", {
    exclude: (name) => name.includes("node_modules"),
  })) {
    const name = file.split("/").at(-1) ?? "";
    files.set(name, `${files.get(name) ?? ""}${await readFile(file, "utf8")}`);
  }
  const missing = Object.entries(proofs).flatMap(([path, proof]) => {
    if (typeof proof === "string" || !("test" in proof)) return [];
    const [file, name] = proof.test;
    return files.get(file)?.includes(`"${name}"`) === true ? [] : [`${path}: ${file} ${name}`];
  });
  assert.deepEqual(missing, []);
});
