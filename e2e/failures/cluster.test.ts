import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, endedCall, findCall } from "../support/platform/agents.ts";
import {
  ANSWER,
  askUnrecorded,
  Cluster,
  QUESTION,
  spoken,
  withoutRepetition,
} from "../support/platform/cluster.ts";
import type { Platform } from "../support/platform/platform.ts";
import { ask, greeted, isFiller } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { ToolServer } from "../support/platform/tool-server.ts";
import { waitFor } from "@parley/testing";

const OUTAGE_MS = 10_000;
/** 10 s of silence, and then the next heartbeat of another node. */
const LOSS_DEADLINE_MS = 25_000;
const RECOVERY_DEADLINE_MS = 20_000;

interface WebhookBody {
  id: string;
  data: { id: string; endReason: string };
}

describe("three nodes on one database", () => {
  let cluster: Cluster;
  let webhooks: ToolServer;
  let number: string;
  const callers: TestCaller[] = [];

  before(async () => {
    webhooks = await ToolServer.start((_request, response) => response.end());
    cluster = await Cluster.start(3, { PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true" });
    ({ number } = await createAgent(cluster.node(0), {
      voiceId: null,
      firstMessage: "Hello.",
      // The webhook of a lost call would wait for a recording that cannot be made.
      recordingEnabled: false,
      postCallWebhookUrl: webhooks.url,
    }));
  });
  after(async () => {
    for (const caller of callers) await caller.close();
    await cluster.stop();
    webhooks.close();
  });

  async function call(node: Platform, from: string): Promise<TestCaller> {
    const caller = await TestCaller.call({ sipPort: node.sipPort, number, from });
    callers.push(caller);
    await greeted(node, caller);
    return caller;
  }

  async function idOf(from: string): Promise<string> {
    return (await findCall(cluster.node(0), from))?.id ?? assert.fail(`no call from ${from}`);
  }

  /** Webhooks about this call's end. */
  function webhooksOf(callId: string): WebhookBody[] {
    const bodies = webhooks.requests.map(({ body }): WebhookBody => JSON.parse(body));
    return bodies.filter(({ data }) => data.id === callId);
  }

  async function assertToldOnce(callId: string, endReason: string): Promise<void> {
    await waitFor("the webhook", () => webhooksOf(callId).length > 0, RECOVERY_DEADLINE_MS);
    assert.deepEqual(
      webhooksOf(callId).map(({ data }) => data.endReason),
      [endReason],
    );
  }

  test("a call is instructed and hung up through another node than its own", async () => {
    const from = "+15550900001";
    const caller = await call(cluster.node(0), from);
    const id = await idOf(from);
    const instruct = async (node: Platform, instruction: string, speak: boolean) =>
      await node.api.instructCall(id, { instruction, speak });
    assert.deepEqual(await instruct(cluster.node(1), "Be brief.", false), {
      callId: id,
      delivered: true,
      speak: false,
    });
    assert.deepEqual(await instruct(cluster.node(2), "Tea is served.", true), {
      callId: id,
      delivered: true,
      speak: true,
    });
    await waitFor("what the agent was told to say", async () =>
      (await findCall(cluster.node(0), from))?.transcript.some(
        ({ text }) => text === spoken("Tea is served."),
      ),
    );
    await cluster.node(1).api.hangUpCall(id);
    assert.equal(await caller.ended(), "remote_bye");
    const { transcript, endReason } = await endedCall(cluster.node(2), from);
    assert.equal(endReason, "api_hangup");
    assert.deepEqual(
      transcript.map(({ type, text }) => `${type}: ${text}`),
      [
        "message: Hello.",
        "instruction: Be brief.",
        "instruction: Tea is served.",
        `message: ${spoken("Tea is served.")}`,
      ],
    );
    await assert.rejects(instruct(cluster.node(0), "Too late.", false), {
      status: 409,
      code: "call_not_active",
    });
    await assertToldOnce(id, "api_hangup");
  });

  test("a database outage of 10 s loses no call and no words, and new calls are rejected meanwhile", async () => {
    const [first, second] = ["+15550900002", "+15550900003"];
    const callers = [await call(cluster.node(0), first), await call(cluster.node(1), second)];
    await cluster.stopDatabase();
    const stoppedAtMs = performance.now();
    await Promise.all(callers.map(askUnrecorded));
    await waitFor("refusal", async () => (await fetch(`${cluster.node(0).url}/readyz`)).status === 503);
    await using late = await TestCaller.open({
      sipPort: cluster.node(0).sipPort,
      number,
      from: "+15550900004",
    });
    const refused = await late.dial();
    await late.close();
    assert.ok(!refused.ok && refused.status === 503);
    // One of them ends while the database is away.
    await callers[1]?.hangUp();
    await sleep(Math.max(0, OUTAGE_MS - (performance.now() - stoppedAtMs)));
    await cluster.startDatabase();
    await waitFor(
      "readiness",
      async () => (await fetch(`${cluster.node(0).url}/readyz`)).status === 200,
      RECOVERY_DEADLINE_MS,
    );
    await callers[0]?.hangUp();
    for (const from of [first, second]) {
      const ended = await endedCall(cluster.node(2), from, RECOVERY_DEADLINE_MS);
      assert.equal(ended.endReason, "user_hangup");
      const said = ended.transcript
        .filter((item) => !isFiller(item))
        .map(({ role, text }) => [role, role === "user" ? withoutRepetition(text) : text]);
      assert.deepEqual(said, [
        ["agent", "Hello."],
        ["user", QUESTION],
        ["agent", ANSWER],
      ]);
      await assertToldOnce(ended.id, "user_hangup");
    }
  });

  test("the calls of a killed node end as node_lost, and other calls continue", async () => {
    const [lost, kept] = ["+15550900005", "+15550900006"];
    await call(cluster.node(2), lost);
    const caller = await call(cluster.node(0), kept);
    const [lostId, keptId] = [await idOf(lost), await idOf(kept)];
    const victim = cluster.node(2);
    victim.process.kill("SIGKILL");
    await victim.exited;
    // It is not known yet that its node is gone.
    const instruction = { instruction: "Are you there?" };
    await assert.rejects(cluster.node(0).api.instructCall(lostId, instruction), {
      status: 409,
      code: "call_not_addressable",
    });
    const { endReason, status } = await endedCall(cluster.node(0), lost, LOSS_DEADLINE_MS);
    assert.deepEqual([status, endReason], ["failed", "node_lost"]);
    assert.equal((await findCall(cluster.node(1), kept))?.status, "in_progress");
    await ask(cluster.node(1), caller);
    await caller.hangUp();
    assert.equal((await endedCall(cluster.node(1), kept)).endReason, "user_hangup");
    await assertToldOnce(lostId, "node_lost");
    await assertToldOnce(keptId, "user_hangup");
  });
});
