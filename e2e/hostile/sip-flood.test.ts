import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { sdp } from "../support/phone/raw-sip.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const INVITES = 6_000;
/** Datagrams sent at once; more would only fill the socket's buffer. */
const BURST = 30;
const BURST_INTERVAL_MS = 10;
/** Transactions of the real call, from its INVITE to its BYE, with a margin for periodic ones of the platform. */
const MAX_TRANSACTIONS = 10;

describe("a platform that is flooded with INVITEs by UDP", () => {
  let platform: Platform;
  let number: string;

  before(async () => {
    platform = await Platform.start();
    const agent = await createAgent(platform, { silenceEndCallTimeoutSeconds: 60 });
    ({ number } = agent);
    await platform.api.updateSipTrunk(agent.sipTrunkId, { allowedAddresses: ["127.0.0.1"] });
  });
  after(async () => await platform.stop());

  test("accepts a carrier's call while strangers forge its address and call known numbers", async (context) => {
    const from = "+15550800001";
    const lookupsBefore = await platform.metric("parley_sip_number_lookups_total");
    let largestTransactionCount = 0;
    const over = new AbortController();
    context.after(() => over.abort());
    const watching = (async () => {
      while (!over.signal.aborted) {
        const count = await platform.metric("parley_sip_transactions");
        largestTransactionCount = Math.max(largestTransactionCount, count);
        await sleep(100);
      }
    })();
    // The carrier's own address, as a forged datagram would have it, and one that the trunk does not allow.
    const startedMs = performance.now();
    const flooding = Promise.all([
      flood("127.0.0.1", (index) => `+1415${String(2_000_000 + index)}`),
      flood("127.0.0.2", () => number),
      flood("127.0.0.3", () => "+14155550199"),
    ]);
    await sleep(200);
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    await caller.agentToSpeak();
    const answers = await flooding;
    const elapsedMs = performance.now() - startedMs;
    await caller.hangUp();
    over.abort();
    await watching;

    assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
    assert.ok(largestTransactionCount <= MAX_TRANSACTIONS, `${largestTransactionCount} transactions`);
    const lookups = (await platform.metric("parley_sip_number_lookups_total")) - lookupsBefore;
    // At most one in 20 ms, however many numbers.
    assert.ok(
      lookups > 0 && lookups <= 2 + elapsedMs / 20,
      `${lookups} look-ups in ${Math.round(elapsedMs)} ms`,
    );
    assert.deepEqual(
      answers.map((statuses) => [...statuses]),
      [["404"], ["403"], ["404"]],
    );
    // And once more, after all of it.
    const later = { sipPort: platform.sipPort, number, from: "+15550800002" };
    await using second = await TestCaller.call(later);
    await second.hangUp();
    assert.equal((await endedCall(platform, later.from)).endReason, "user_hangup");
  });

  async function flood(address: string, numberOf: (index: number) => string): Promise<Set<string>> {
    const socket = createSocket("udp4");
    await once(socket.bind(0, address), "listening");
    const statuses = new Set<string>();
    socket.on("message", (data) => void statuses.add(data.toString("latin1", 8, 11)));
    const { port } = socket.address();
    for (let sent = 0; sent < INVITES; sent += BURST) {
      for (let index = sent; index < sent + BURST; index++) {
        const body = sdp();
        const uri = `sip:${numberOf(index)}@127.0.0.1:${platform.sipPort}`;
        const text = [
          `INVITE ${uri} SIP/2.0`,
          `Via: SIP/2.0/UDP ${address}:${port};branch=z9hG4bK-${address}-${index};rport`,
          "Max-Forwards: 70",
          `From: <sip:stranger@${address}>;tag=${index}`,
          `To: <${uri}>`,
          `Call-ID: ${address}-${index}`,
          "CSeq: 1 INVITE",
          `Contact: <sip:stranger@${address}:${port}>`,
          "Content-Type: application/sdp",
          `Content-Length: ${body.length}`,
          "",
          body,
        ];
        socket.send(text.join("\r\n"), platform.sipPort, "127.0.0.1");
      }
      await sleep(BURST_INTERVAL_MS);
    }
    socket.close();
    return statuses;
  }
});
