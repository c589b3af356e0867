import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import type { AgentCreation, CallDetail } from "@parley/contract";
import type { TesterBehavior } from "../../../media/media-protocol.ts";
import { createLogger } from "../../../platform/logging/logging.ts";
import { createDocument } from "../../agents/agent-document.rules.ts";
import { LoopbackEndpoint } from "./loopback-endpoint.ts";
import { createTestServer } from "../../testing.ts";
import type { LoopbackSides } from "./loopback-calls.service.ts";
import { type CallingNode, openCallingNode } from "./testing.ts";

const GREETING = "Hello, this is the shop.";
const QUESTION = "Where is my order?";
/** What both sides take each other's words for. */
const HEARD = "Something was said.";
const ANSWER = "It has been shipped.";
const LONG_GREETING =
  "Hello, this is the shop. We sell books, pictures, paper, pens, brushes and paint, and we deliver all of them to your door " +
  "on every day of the week, also on holidays.";
const NO_CONDITIONS = { noiseLevelDb: undefined, packetLoss: 0, interruptsAfterMs: undefined };

let node: CallingNode;

async function prepareSides(
  agentFields: Partial<AgentCreation>,
  behavior: Partial<TesterBehavior>,
): Promise<LoopbackSides> {
  const { services, organizationId } = node;
  const author = { organizationId, actor: { type: "api_key", name: "test" } } as const;
  const { id } = await services.agents.create(author, {
    name: "Ada",
    firstMessage: GREETING,
    ...agentFields,
  });
  const entry = { kind: "test_run", environment: null } as const;
  const agent = await services.agentResolution.resolveAgent(organizationId, id, entry);
  const document = createDocument({
    name: "Tester",
    firstMessage: "",
    startSpeaker: "user",
    playKeypadTouchToneEnabled: true,
    disableInterruptions: true,
  });
  const tester: TesterBehavior = {
    lines: [{ type: "say", text: QUESTION }],
    maxTurns: 10,
    silentAfterTurns: undefined,
    fillers: [],
    conditions: NO_CONDITIONS,
    ...behavior,
  };
  return {
    fromNumber: "+12025550123",
    toNumber: null,
    agent: { agent, variables: { customer: "Ada" } },
    tester: { agent: { ...agent, document }, variables: {}, adjust: (setup) => ({ ...setup, tester }) },
  };
}

async function begin(sides: LoopbackSides) {
  const { loopbackCalls } = node.services;
  const places = loopbackCalls.reserve(sides.agent.agent, sides.tester.agent);
  assert.ok(places !== undefined);
  const records = await loopbackCalls.record(sides);
  return { records, call: loopbackCalls.start(sides, records, places) };
}

/** Holds a call to its end, and returns the records of both sides. */
async function hold(
  agentFields: Partial<AgentCreation> = {},
  behavior: Partial<TesterBehavior> = {},
): Promise<{ tester: CallDetail; agent: CallDetail }> {
  const { records, call } = await begin(await prepareSides(agentFields, behavior));
  await call.ended;
  const { calls } = node.services;
  return {
    tester: await calls.get(node.organizationId, records.callId),
    agent: await calls.get(node.organizationId, records.inboundCallId),
  };
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** What a side said, or what it heard of the other side. */
const said = ({ transcript }: CallDetail, role: "agent" | "user"): string[] =>
  transcript.flatMap((item) => (item.type === "message" && item.role === role ? wordsOf(item.text) : []));

test("an INVITE without the token of an open call is rejected, and a token serves once", async (t) => {
  const logger = createLogger({ level: "silent" });
  const endpoint = new LoopbackEndpoint({ onMessage: undefined, logger });
  t.after(async () => await endpoint.close());
  await endpoint.listen();
  assert.ok(endpoint.agent.listeners.every(({ address }) => address === "127.0.0.1"));
  const call = async (uri: string) =>
    await endpoint.agent.invite({ to: uri, from: "sip:tester@127.0.0.1", sdp: "" });
  using route = endpoint.open();
  const stranger = await call(route.uri.replace(/sip:[0-9a-f]+/, `sip:${"0".repeat(48)}`));
  assert.deepEqual([stranger.ok, !stranger.ok && stranger.status], [false, 404]);
  void route.arrived.then((invite) => invite.reject(486));
  const first = await call(route.uri);
  const second = await call(route.uri);
  assert.deepEqual([!first.ok && first.status, !second.ok && second.status], [486, 404]);
  const { uri } = endpoint.open();
  assert.notEqual(uri, route.uri);
});

test("both sides get a place, or none does", async (t) => {
  const server = await createTestServer();
  t.after(async () => await server.close());
  const { modules, media, organizationId } = server;
  const document = createDocument({ name: "Ada" });
  const recorded = { environment: null, agentRevision: null, configurationRevision: 1, variables: {} };
  const agent = { id: crypto.randomUUID(), organizationId, document, ...recorded };
  media.capacity = 1;
  assert.equal(modules.loopbackCalls.reserve(agent, agent), undefined);
  assert.equal(media.freePlaces, 1);
  media.capacity = 3;
  const places = modules.loopbackCalls.reserve(agent, agent);
  assert.ok(places !== undefined);
  assert.equal(media.freePlaces, 1);
  assert.equal(modules.loopbackCalls.reserve(agent, agent), undefined);
  places[Symbol.dispose]();
  places[Symbol.dispose]();
  assert.equal(media.freePlaces, 3);
});

describe("calls between a tester and an agent", { concurrency: true }, () => {
  before(async () => {
    node = await openCallingNode({ reply: () => ({ text: ANSWER }), heard: HEARD, calls: 40 });
  });
  after(async () => await node.close());

  test("ten calls at once: the records of both sides agree, and are test calls", async () => {
    const ended = await Promise.all(Array.from({ length: 10 }, async () => await hold()));
    for (const { tester, agent } of ended) {
      assert.deepEqual([tester.direction, agent.direction], ["outbound", "inbound"]);
      assert.deepEqual([tester.status, agent.status], ["completed", "completed"]);
      assert.deepEqual([tester.endReason, agent.endReason], ["agent_hangup", "user_hangup"]);
      assert.deepEqual([tester.isTest, agent.isTest], [true, true]);
      assert.deepEqual([tester.configurationRevision, agent.configurationRevision], [null, 1]);
      assert.deepEqual(agent.variables, { customer: "Ada" });
      assert.ok(tester.answeredAt !== null && agent.answeredAt !== null);
      assert.equal(tester.analysisStatus, null);
      assert.deepEqual(said(tester, "agent"), wordsOf(QUESTION));
      assert.deepEqual(said(agent, "agent"), wordsOf(`${GREETING} ${ANSWER}`));
      // Shows when each side heard and spoke what.
      const transcripts = JSON.stringify([tester.transcript, agent.transcript], null, 2);
      assert.deepEqual(said(tester, "user"), wordsOf(`${HEARD} ${HEARD}`), transcripts);
      assert.deepEqual(said(agent, "user"), wordsOf(HEARD), transcripts);
    }
  });

  test("hanging up ends both sides at once", async () => {
    const { records, call } = await begin(await prepareSides({ firstMessage: LONG_GREETING }, {}));
    const { activeCalls, calls } = node.services;
    const sides = [records.callId, records.inboundCallId].map((id) => activeCalls.get(id));
    await waitFor("the answer", () => sides.every((side) => side?.isAnswered));
    call.hangUp();
    call.hangUp();
    await call.ended;
    for (const id of [records.callId, records.inboundCallId])
      assert.equal((await calls.get(node.organizationId, id)).endReason, "api_hangup");
  });

  test("a call that is hung up before its INVITE leaves no side behind", async () => {
    const { records, call } = await begin(await prepareSides({}, {}));
    call.hangUp();
    await call.ended;
    for (const id of [records.callId, records.inboundCallId])
      assert.equal((await node.services.calls.get(node.organizationId, id)).status, "canceled");
  });

  test("an impatient tester speaks over the agent, which stops", async () => {
    const conditions = { ...NO_CONDITIONS, interruptsAfterMs: 1_000 };
    const { agent } = await hold({ firstMessage: LONG_GREETING }, { conditions });
    const [greeting] = agent.transcript;
    assert.ok(greeting?.type === "message" && greeting.interrupted === true);
    assert.ok(greeting.text.length < LONG_GREETING.length, greeting.text);
    assert.deepEqual(said(agent, "user"), wordsOf(HEARD));
  });

  test("a tester with a noisy line that loses packets is understood", async () => {
    const conditions = { ...NO_CONDITIONS, noiseLevelDb: -50, packetLoss: 0.05 };
    const { tester, agent } = await hold({}, { conditions });
    assert.ok((agent.quality?.received.lost ?? 0) > 0);
    assert.equal(tester.quality?.received.lost, 0);
    assert.deepEqual(said(agent, "user"), wordsOf(HEARD));
  });

  test("a tester that presses keys is heard as a caller who does", async () => {
    const { tester, agent } = await hold({}, { lines: [{ type: "press", keys: "12#" }] });
    const keysOf = ({ transcript }: CallDetail) =>
      transcript.flatMap((item) => (item.type === "dtmf" ? [[item.direction, item.text]] : []));
    assert.deepEqual(keysOf(agent), [["received", "12#"]]);
    assert.deepEqual(keysOf(tester), [["sent", "12#"]]);
  });

  test("a tester that says nothing is left to the agent, which hangs up", async () => {
    const agentFields = { silenceEndCallTimeoutSeconds: 5, turnTimeoutSeconds: 60 };
    const { tester, agent } = await hold(agentFields, { silentAfterTurns: 0 });
    assert.equal(agent.endReason, "silence_timeout");
    assert.equal(tester.endReason, "user_hangup");
    assert.deepEqual(said(agent, "user"), []);
  });

  test("a tester hangs up after its last turn", async () => {
    const lines = ["One?", "Two?", "Three?"].map((text) => ({ type: "say" as const, text }));
    const { tester } = await hold({}, { lines, maxTurns: 1 });
    assert.deepEqual(said(tester, "agent"), ["one"]);
    assert.equal(tester.endReason, "agent_hangup");
  });
});
