import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "../support/platform/agents.ts";
import { endedTestCall, startTestCall } from "../support/web/browser-caller.ts";
import { Cluster } from "../support/platform/cluster.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

/** Silent for 10 s, and the next beat of another node after that. */
const LOSS_DEADLINE_MS = 25_000;

/** Offer of a browser that never connects. */
const OFFER = `v=0
o=- 1 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
m=audio 9 UDP/TLS/RTP/SAVPF 111
c=IN IP4 0.0.0.0
a=mid:0
a=sendrecv
a=rtcp-mux
a=ice-ufrag:EsAw
a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
a=setup:actpass
a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "19").join(":")}
a=rtpmap:111 opus/48000/2
a=fmtp:111 minptime=10;useinbandfec=1
a=end-of-candidates
`.replaceAll("\n", "\r\n");

describe("a node that is ending, beside one that is not", () => {
  let cluster: Cluster;
  let caller: TestCaller | undefined;
  before(async () => void (cluster = await Cluster.start(2, { PARLEY_SHUTDOWN_SECONDS: "90" })));
  after(async () => {
    await caller?.close();
    await cluster.stop();
  });

  test("places its test calls on the other node, where they are joined, and closes them when that node dies", async () => {
    const [ending, other] = [cluster.node(0), cluster.node(1)];
    const { agentId, number } = await createAgent(ending, {
      voiceId: null,
      firstMessage: "Hello.",
      recordingEnabled: false,
    });
    caller = await TestCaller.call({ sipPort: ending.sipPort, number, from: "+15550920001" });
    ending.process.kill("SIGTERM");
    await waitFor(
      "the node to take no calls",
      async () => (await fetch(`${ending.url}/readyz`)).status === 503,
    );

    // The other node has said that it starts; that it has room it says with its next beat. A start that is refused counts
    // among the twenty of a minute as well.
    const joined = await waitFor("a node that is known to have room", async () => {
      await sleep(500);
      return await startTestCall(ending, agentId).catch(() => undefined);
    });
    const unjoined = await startTestCall(ending, agentId);
    assert.ok(joined.url.startsWith(ending.url));
    assert.equal(await other.metric("parley_active_calls"), 2);
    assert.equal(await ending.metric("parley_active_calls"), 1);
    const answer = await fetch(joined.url, {
      method: "POST",
      headers: { authorization: `Bearer ${joined.token}`, "content-type": "application/sdp" },
      body: OFFER,
    });
    const sdp = await answer.text();
    assert.equal(answer.status, 201, sdp);
    assert.match(sdp, /^a=fingerprint:/m);
    const session = new URL(answer.headers.get("location") ?? "", joined.url);
    const headers = { authorization: `Bearer ${joined.token}` };
    assert.equal((await fetch(session, { method: "DELETE", headers })).status, 200);
    assert.equal((await endedTestCall(ending, joined.callId)).endReason, "canceled");

    other.process.kill("SIGKILL");
    await other.exited;
    const lost = await endedTestCall(ending, unjoined.callId, LOSS_DEADLINE_MS);
    assert.deepEqual([lost.status, lost.endReason], ["failed", "node_lost"]);
    await assert.rejects(startTestCall(ending, agentId), { status: 503, code: "capacity_exceeded" });
  });
});
