import assert from "node:assert/strict";
import { test } from "node:test";
import { createDocument } from "../../agents/agent-document.rules.ts";
import { renderAgent, setUpConversation } from "./conversation-setup.rules.ts";

const conversation = {
  callId: "id",
  conversationId: "id",
  agentId: "id",
  environment: null,
  channel: "phone",
  fromNumber: null,
  toNumber: "+14155550123",
  isTest: false,
  variables: {},
} as const;

const resolved = {
  id: "id",
  organizationId: "id",
  environment: null,
  agentRevision: null,
  configurationRevision: 1,
  variables: {},
};

test("prompt and first message are rendered with their variables, and unknown names are reported once", () => {
  const document = createDocument({
    name: "Robin",
    promptTemplate: "You serve {{shop}}. {{nothing}}",
    firstMessage: "Welcome to {{shop}}! {{nothing}}",
  });
  const { setup, unknownVariables } = renderAgent(conversation, document, { shop: "Miller" });
  assert.equal(setup.instructions, "You serve Miller. ");
  assert.equal(setup.agent.firstMessage, "Welcome to Miller! ");
  assert.deepEqual(unknownVariables, ["nothing"]);
});

test("a message for mailboxes is rendered, and only outbound phone calls have one", () => {
  const fields = { voicemailEnabled: true, voicemailMessage: "Call {{shop}} back." };
  const voicemailOf = (
    action: "hangup" | "leave_message",
    call: Partial<Parameters<typeof setUpConversation>[0]> = {},
  ) => {
    const document = createDocument({ name: "Robin", ...fields, voicemailAction: action });
    const agent = { ...resolved, document };
    const { setup } = setUpConversation({
      callId: "id",
      conversationId: "id",
      agent,
      variables: { shop: "Miller" },
      channel: "phone",
      direction: "outbound",
      fromNumber: null,
      toNumber: "+14155550123",
      at: new Date("2026-11-22T12:00:00Z"),
      ...call,
    });
    return setup.agent.voicemail;
  };
  assert.deepEqual(voicemailOf("leave_message"), { message: "Call Miller back." });
  assert.deepEqual(voicemailOf("hangup"), { message: "" });
  assert.equal(voicemailOf("hangup", { direction: "inbound" }), undefined);
  assert.equal(voicemailOf("hangup", { channel: "web" }), undefined);
});

test("the model is told a language other than English", () => {
  const instructionsIn = (language: string): string =>
    renderAgent(conversation, createDocument({ name: "Robin", promptTemplate: "Answer.", language }), {})
      .setup.instructions;
  assert.equal(instructionsIn("en-GB"), "Answer.");
  assert.match(instructionsIn("de"), /^Answer\.\n\nThe conversation is in German\. Speak German/);
  assert.match(instructionsIn("pt-BR"), /Brazilian Portuguese/);
});

test("the agent's own phrases are rendered, and absent ones are left to its language", () => {
  const phrases = { fillers: ["One moment, {{name}}."], farewell: "Bye, {{name}}!" };
  const document = createDocument({ name: "Robin", phrases });
  const { setup } = renderAgent(conversation, document, { name: "Ada" });
  assert.deepEqual(setup.agent.phrases, { fillers: ["One moment, Ada."], farewell: "Bye, Ada!" });
  assert.deepEqual(renderAgent(conversation, createDocument({ name: "Robin" }), {}).setup.agent.phrases, {});
});

test("the fallback voice is the document's, if it names one", () => {
  const document = createDocument({ name: "Robin", fallbackVoiceId: "kokoro/bm_george" });
  assert.equal(renderAgent(conversation, document, {}).setup.fallbackVoiceId, "kokoro/bm_george");
  assert.equal(
    renderAgent(conversation, createDocument({ name: "Robin" }), {}).setup.fallbackVoiceId,
    undefined,
  );
});

test("noise is suppressed unless the document disables it", () => {
  for (const [noiseCancellation, expected] of [
    ["on", true],
    ["off", false],
  ] as const) {
    const document = createDocument({ name: "Robin", noiseCancellation });
    assert.equal(renderAgent(conversation, document, {}).setup.hasNoiseSuppression, expected);
  }
});

test("an agent without endCallEnabled has no tool to hang up", () => {
  const { setup } = renderAgent(conversation, createDocument({ name: "Robin", endCallEnabled: false }), {});
  assert.equal(setup.endCall, undefined);
});

test("custom rules for hanging up replace the built-in ones", () => {
  const document = createDocument({ name: "Robin", endCallRulesOverride: "Only after thanks." });
  assert.deepEqual(renderAgent(conversation, document, {}).setup.endCall, { rules: "Only after thanks." });
  assert.deepEqual(renderAgent(conversation, createDocument({ name: "Robin" }), {}).setup.endCall, {});
  assert.equal(renderAgent(conversation, createDocument({ name: "Robin" }), {}).setup.keypad, undefined);
  const pressing = { name: "Robin", playKeypadTouchToneEnabled: true };
  assert.deepEqual(renderAgent(conversation, createDocument(pressing), {}).setup.keypad, {});
  const rules = { ...pressing, playKeypadTouchToneDescriptionOverride: "Only 1." };
  assert.deepEqual(renderAgent(conversation, createDocument(rules), {}).setup.keypad, { rules: "Only 1." });
});

test("the rules of the built-in tools are rendered with their variables, and unknown names are reported", () => {
  const document = createDocument({
    name: "Robin",
    endCallRulesOverride: "After {{word}}. {{nothing}}",
    playKeypadTouchToneEnabled: true,
    playKeypadTouchToneDescriptionOverride: "Press {{key}}. {{nowhere}}",
  });
  const rendered = renderAgent(conversation, document, { word: "thanks", key: 1 });
  assert.deepEqual(rendered.setup.endCall, { rules: "After thanks. " });
  assert.deepEqual(rendered.setup.keypad, { rules: "Press 1. " });
  assert.deepEqual(rendered.unknownVariables, ["nothing", "nowhere"]);
});

test("the agent receives its enabled tools, rendered with their variables", () => {
  const tool = {
    id: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c14",
    name: "look_up",
    webhookUrl: "https://shop.example/{{shop}}",
    schema: { description: "Looks up." },
    enabled: true,
    httpMethod: "POST",
    headers: [{ key: "X-Shop", value: "{{nothing}}" }],
    queryParams: [],
    sendRawRequestBody: false,
    responseMode: "sync",
    createdAt: "2026-11-21T09:30:00.000Z",
    updatedAt: "2026-11-21T09:30:00.000Z",
  } as const;
  const document = {
    ...createDocument({ name: "Robin" }),
    customTools: [
      { ...tool, headers: [...tool.headers], queryParams: [] },
      { ...tool, headers: [], queryParams: [], name: "off", enabled: false },
    ],
  };
  const { setup, unknownVariables } = renderAgent(conversation, document, { shop: "north" });
  assert.deepEqual(
    setup.tools.map(({ name, url }) => [name, url]),
    [["look_up", "https://shop.example/north"]],
  );
  assert.deepEqual(unknownVariables, ["nothing"]);
});

test("a conversation without a call has an empty call_id, and its tools receive no call", () => {
  const document = createDocument({ name: "Robin", promptTemplate: "Call: {{call_id}}." });
  const agent = { ...resolved, document };
  const { setup, unknownVariables } = setUpConversation({
    conversationId: "id",
    agent,
    variables: {},
    channel: "web",
    direction: "inbound",
    fromNumber: null,
    toNumber: null,
    at: new Date("2026-11-22T12:00:00Z"),
  });
  assert.equal(setup.instructions, "Call: .");
  assert.equal(setup.conversation.callId, null);
  assert.deepEqual(unknownVariables, []);
});

test("send_message needs its switch, a connection, a number to send from and a number of the other side", () => {
  const fields = {
    name: "Robin",
    messagingConnectionId: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11",
    messagingConfig: {
      sendMessageEnabled: true,
      fromNumber: "+14155550100",
      sendMessageDescriptionOverride: "Only for {{shop}}.",
    },
  };
  const setUp = (change: object, call: object = {}) => {
    const agent = {
      id: "id",
      organizationId: "id",
      document: createDocument({ ...fields, ...change }),
      environment: null,
      agentRevision: null,
      configurationRevision: 1,
      variables: {},
    };
    const { setup } = setUpConversation({
      callId: "id",
      conversationId: "id",
      agent,
      variables: { shop: "Miller" },
      channel: "phone",
      direction: "inbound",
      fromNumber: "+14155550123",
      toNumber: "+14155550100",
      at: new Date("2026-11-22T12:00:00Z"),
      ...call,
    });
    return setup.sendMessage;
  };
  assert.deepEqual(setUp({}), { rules: "Only for Miller." });
  assert.equal(setUp({ messagingConnectionId: null }), undefined);
  assert.equal(setUp({ messagingConfig: { sendMessageEnabled: true } }), undefined);
  assert.equal(
    setUp({ messagingConfig: { ...fields.messagingConfig, sendMessageEnabled: false } }),
    undefined,
  );
  assert.equal(setUp({}, { fromNumber: null }), undefined);
  assert.deepEqual(setUp({}, { fromNumber: null, isSimulated: true }), { rules: "Only for Miller." });
  assert.equal(setUp({}, { direction: "outbound", fromNumber: "+14155550100", toNumber: "200" }), undefined);
});
