import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ScriptedServer, startScriptedOpenAi } from "@parley/providers/testing";
import { isSignedWith } from "../../apps/server/src/modules/webhooks/testing.ts";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Cluster } from "../support/platform/cluster.ts";
import type { Platform } from "../support/platform/platform.ts";
import { readRecording } from "../support/audio/recordings.ts";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { type ToolRequest, ToolServer } from "../support/platform/tool-server.ts";
import { waitFor } from "@parley/testing";

/** Jobs of a killed node start again once they have expired. */
const REDELIVERY_DEADLINE_MS = 180_000;
const DIALED_CALLS = 6;

/** Calls the agent's tool after each utterance of the caller, and then adds nothing. */
async function startModel(): Promise<ScriptedServer> {
  return await startScriptedOpenAi({
    reply: ({ messages, tools }) => {
      const [name = "none"] = tools.filter((each) => each !== "end_call");
      return messages.at(-1)?.role === "tool"
        ? { text: "It is done." }
        : { toolCalls: [{ name, input: { metres: 10 } }] };
    },
  });
}

describe("webhooks of two nodes on one database", () => {
  let model: ScriptedServer;
  let customer: ToolServer;
  let cluster: Cluster;
  let secret: string;
  /** Answers by path; other paths get an empty answer. */
  const answers = new Map<string, (response: ServerResponse) => void>();
  const callers: TestCaller[] = [];
  let nextCaller = 15_550_950_001;

  before(async () => {
    model = await startModel();
    customer = await ToolServer.start(({ path }, response) => {
      const answer = answers.get(path);
      if (answer === undefined) response.end();
      else answer(response);
    });
    cluster = await Cluster.start(2, {
      PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true",
      PARLEY_LLM_BASE_URL: `${model.url}/v1`,
    });
    ({ secret } = await cluster.node(1).api.rotateWebhookSigningSecret());
  });
  after(async () => {
    for (const caller of callers) await caller.close();
    await cluster.stop();
    customer.close();
    await model.close();
  });

  /** An agent whose webhooks go to `/NAME/pre` and `/NAME/post`, and its tool to `/NAME/tool`. */
  async function createCustomer(name: string): ReturnType<typeof createAgent> {
    const created = await createAgent(cluster.node(0), {
      voiceId: null,
      firstMessage: "Good day.",
      preCallWebhookUrl: `${customer.url}/${name}/pre`,
      postCallWebhookUrl: `${customer.url}/${name}/post`,
    });
    const parameters = { type: "object", properties: { metres: { type: "number" } } };
    await cluster.node(0).api.createCustomTool(created.agentId, {
      name: "drive",
      webhookUrl: `${customer.url}/${name}/tool`,
      schema: { type: "function", function: { name: "drive", description: "Drives the train.", parameters } },
    });
    return created;
  }

  function newCaller(): string {
    return `+${nextCaller++}`;
  }

  async function open(node: Platform, number: string, from: string): Promise<TestCaller> {
    const caller = await TestCaller.open({ sipPort: node.sipPort, number, from });
    callers.push(caller);
    return caller;
  }

  async function requestTo(path: string): Promise<ToolRequest> {
    return await waitFor(path, () => customer.last(path), 20_000);
  }

  function toldOf(callId: string): string[] {
    const bodies = customer.requests.filter(({ path }) => path.endsWith("/post")).map(({ body }) => body);
    return bodies
      .map((body) => JSON.parse(body).data)
      .flatMap((data) => (data.id === callId ? [data.endReason] : []));
  }

  test("the pre-call webhook sets variables and the first message, and all requests of the call are signed", async () => {
    const { number } = await createCustomer("greeting");
    const answer = { variables: { customer: "Ada" }, firstMessage: "Hello {{customer}}, how are you?" };
    answers.set("/greeting/pre", (response) => void response.end(JSON.stringify(answer)));
    const from = newCaller();
    const caller = await open(cluster.node(0), number, from);
    assert.ok((await caller.dial()).ok);
    await greeted(cluster.node(0), caller);
    await caller.say(await readRecording("go-forward.wav"));
    await requestTo("/greeting/tool");
    await caller.hangUp();
    const call = await endedCall(cluster.node(1), from);
    assert.equal(call.transcript[0]?.text, "Hello Ada, how are you?");
    const conversation = await cluster.node(1).api.getConversation(call.conversationId);
    assert.deepEqual(conversation.variables, { customer: "Ada" });
    for (const path of ["/greeting/pre", "/greeting/tool", "/greeting/post"])
      assert.ok(isSignedWith(secret, await requestTo(path)), path);
    const asked = JSON.parse((await requestTo("/greeting/pre")).body);
    assert.deepEqual([asked.type, asked.data.id, asked.data.fromNumber], ["call.pre", call.id, from]);
    const told = JSON.parse((await requestTo("/greeting/post")).body);
    assert.deepEqual(
      [told.type, told.data.id, told.data.variables],
      ["call.post", call.id, { customer: "Ada" }],
    );
  });

  test("a call that the pre-call webhook rejects gets 603, or is not dialed, and its end is reported", async () => {
    const { agentId, number, sipTrunkId } = await createCustomer("rejecting");
    const reason = "closed today";
    answers.set("/rejecting/pre", (response) => void response.end(JSON.stringify({ reject: { reason } })));
    const from = newCaller();
    const result = await (await open(cluster.node(1), number, from)).dial();
    assert.ok(!result.ok && result.status === 603);
    const refused = await endedCall(cluster.node(0), from);

    const trunk = createSocket("udp4");
    trunk.bind(0, "127.0.0.1");
    await once(trunk, "listening");
    const methods: string[] = [];
    trunk.on("message", (datagram) => methods.push(datagram.toString().split(" ", 1)[0] ?? ""));
    const proxy = { proxyAddress: `127.0.0.1:${trunk.address().port}` };
    await cluster.node(0).api.updateSipTrunk(sipTrunkId, proxy);
    const placed = { agentId, toNumber: number.replace(/.$/, "9") };
    const queued = await cluster.node(0).api.createCall(placed);
    const undialed = await waitFor("the end of the call", async () => {
      const data = await cluster.node(0).api.getCall(queued.id);
      return data.endedAt !== null && data;
    });
    trunk.close();
    assert.ok(!methods.includes("INVITE"), methods.join());
    for (const { id, status, endReason, endDetail, answeredAt } of [refused, undialed]) {
      assert.deepEqual(
        [status, endReason, endDetail, answeredAt],
        ["canceled", "rejected_by_webhook", reason, null],
      );
      await waitFor("the post-call webhook", () => toldOf(id).length > 0, 20_000);
      assert.deepEqual(toldOf(id), ["rejected_by_webhook"]);
    }
  });

  test("a pre-call webhook that is not answered delays the call by five seconds, and the transcript says so", async () => {
    const { number } = await createCustomer("hanging");
    answers.set("/hanging/pre", () => {});
    const from = newCaller();
    const caller = await open(cluster.node(0), number, from);
    const dialedAtMs = performance.now();
    assert.ok((await caller.dial()).ok);
    const delayMs = performance.now() - dialedAtMs;
    assert.ok(delayMs >= 5_000, `${delayMs} ms`);
    await caller.agentToSpeak();
    await caller.hangUp();
    const { transcript } = await endedCall(cluster.node(0), from);
    const note = transcript.find(({ type }) => type === "system");
    assert.match(note?.text ?? "", /no answer within 5000 ms/);
  });

  test("a caller who hangs up meanwhile ends the call at once", async () => {
    const { number } = await createCustomer("hanging-up");
    answers.set("/hanging-up/pre", () => {});
    const from = newCaller();
    const caller = await open(cluster.node(0), number, from);
    const giveUp = new AbortController();
    const dialing = caller.dial({ signal: giveUp.signal });
    await requestTo("/hanging-up/pre");
    giveUp.abort();
    assert.ok(!(await dialing).ok);
    const { status, endReason } = await endedCall(cluster.node(0), from);
    assert.deepEqual([status, endReason], ["canceled", "canceled"]);
    assert.equal((await requestTo("/hanging-up/pre")).isOver, true);
  });

  test("the log of one node shows the deliveries of the other, and can send them again", async () => {
    const { number } = await createCustomer("again");
    const from = newCaller();
    const caller = await open(cluster.node(0), number, from);
    assert.ok((await caller.dial()).ok);
    await caller.hangUp();
    const { id } = await endedCall(cluster.node(0), from);
    await waitFor("the post-call webhook", () => toldOf(id).length === 1, 20_000);
    const delivery = await waitFor("the log", async () => {
      const { data } = await cluster.node(1).api.listWebhookDeliveries({ callId: id, type: "call.post" });
      return data[0]?.status === "delivered" && data[0];
    });
    await cluster.node(1).api.resendWebhookDelivery(delivery?.id);
    await waitFor("the webhook, again", () => toldOf(id).length === 2, 20_000);
    const [first, second] = customer.requests.filter(({ path }) => path === "/again/post");
    assert.deepEqual([second?.headers["webhook-id"], second?.body], [delivery?.id, first?.body]);
    const data = await cluster.node(0).api.getCall(id);
    assert.deepEqual([data.postCallWebhookStatus, data.postCallWebhookAttempts], ["delivered", 1]);
  });

  test("each call that ends while its node is killed is recorded, and its webhook matches the record", async () => {
    const { number } = await createCustomer("killed");
    const victim = cluster.node(1);
    const callersOf = new Map<string, TestCaller>();
    for (let index = 0; index < DIALED_CALLS; index += 1) {
      const from = newCaller();
      const caller = await open(victim, number, from);
      await waitFor("room for a call", async () => (await caller.dial()).ok);
      callersOf.set(from, caller);
    }
    // What is being delivered when the node dies has no answer yet.
    answers.set("/killed/post", () => {});
    let hungUp = 0;
    for (const caller of callersOf.values()) {
      void caller.hangUp();
      hungUp += 1;
      await sleep(400);
      if (hungUp === DIALED_CALLS - 2) break;
    }
    victim.process.kill("SIGKILL");
    await victim.exited;
    answers.delete("/killed/post");
    const calls = [];
    for (const from of callersOf.keys()) calls.push(await endedCall(cluster.node(0), from, 40_000));
    assert.ok(calls.some(({ endReason }) => endReason === "user_hangup"));
    assert.ok(calls.some(({ endReason }) => endReason === "node_lost"));
    for (const { id, endReason } of calls) {
      const isDelivered = async (): Promise<boolean> =>
        (await cluster.node(0).api.getCall(id)).postCallWebhookStatus === "delivered";
      await waitFor("the delivery", isDelivered, REDELIVERY_DEADLINE_MS);
      // Again if its node died during the delivery, with the same end each time.
      assert.deepEqual([...new Set(toldOf(id))], [endReason]);
    }
    const ids = new Set(calls.map(({ id }) => id));
    const told = customer.requests.filter(({ path }) => path === "/killed/post");
    for (const { body } of told) assert.ok(ids.has(JSON.parse(body).data.id));
  });
});
