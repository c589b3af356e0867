import assert from "node:assert/strict";
import { test } from "node:test";
import { liveHeapBytes } from "../testing/heap.ts";
import { realMessages } from "../testing/messages.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { seededRandom } from "@parley/testing";
import { MemoryNetwork } from "../testing/memory-network.ts";
import { failingResolver } from "../testing/failing-resolver.ts";
import { hostileDatagram } from "../testing/mutate.ts";
import { parseMessage } from "../messages/parse.ts";
import { UserAgent } from "./user-agent.ts";

const DATAGRAMS = 120_000;
/** Growth from one idle moment to a later one; a leak per call or transaction would exceed it by far. */
const HEAP_GROWTH_BYTES = 4 * 1024 * 1024;

test("120,000 hostile datagrams neither throw nor leak", async () => {
  const clock = new ManualClock();
  const network = new MemoryNetwork(clock);
  const random = seededRandom(3261);
  let sentCount = 0;
  let inviteCount = 0;
  const errors: unknown[] = [];
  const ua = UserAgent.on(network.transport({ address: "10.0.0.1", port: 5060 }), {
    clock,
    maxTransactions: 2000,
    resolver: failingResolver,
    onError: (error) => errors.push(error),
    onMessage: ({ direction }) => void (sentCount += direction === "out" ? 1 : 0),
    onInvite: (invite) => {
      inviteCount++;
      const choice = random();
      if (choice < 0.3) invite.reject(486);
      else if (choice < 0.6) invite.accept({ sdp: "answer" }).catch(assert.ifError);
      else invite.ring();
    },
  });
  let heapWhenIdle = 0;
  const stranger = network.transport({ address: "10.0.0.2", port: 5060 });
  for (let count = 0; count < DATAGRAMS; count++) {
    stranger.send(hostileDatagram(random), ua.address);
    if (count % 2000 === 1999) {
      await clock.advance(0);
      assert.ok(ua.counts.transactions <= 2000);
      network.sent.length = 0;
      // Lets open transactions time out to make room.
      if (count % 20_000 === 19_999) await clock.advance(300_000);
      if (count === 39_999) heapWhenIdle = liveHeapBytes();
    }
  }
  await clock.advance(300_000);
  network.sent.length = 0;
  const growth = liveHeapBytes() - heapWhenIdle;
  assert.ok(growth < HEAP_GROWTH_BYTES, `${growth} bytes more`);
  assert.deepEqual(errors, []);
  assert.ok(sentCount > 50_000, `${sentCount} sent`);
  assert.ok(inviteCount > 1000, `${inviteCount} reached the application`);
  assert.deepEqual(ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
  assert.equal(clock.pendingCount, 0);
  // Calls are still accepted.
  stranger.send(Buffer.from(realMessages["OPTIONS keep-alive"] ?? ""), ua.address);
  await clock.advance(0);
  assert.match(network.sent.at(-1)?.data.toString() ?? "", /^SIP\/2\.0 200 OK\r\n/);
});

test("every prefix of every real message is read or rejected", () => {
  for (const text of Object.values(realMessages)) {
    const whole = Buffer.from(text);
    for (let length = 0; length < whole.length; length++) parseMessage(whole.subarray(0, length));
  }
});
