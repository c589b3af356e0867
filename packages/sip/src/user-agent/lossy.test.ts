import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { MemoryNetwork, seededRandom } from "../testing/memory-network.ts";
import type { IncomingInvite } from "./incoming-invite.ts";
import type { InviteResult } from "./outgoing-invite.ts";
import type { SessionEnd } from "./session.ts";
import { UserAgent } from "./user-agent.ts";

const CALLS = 150;

async function answerLater(invite: IncomingInvite, clock: ManualClock, random: () => number): Promise<void> {
  invite.ring();
  await new Promise<void>((resolve) => clock.schedule(random() * 3000, resolve));
  if (random() < 0.15) {
    invite.reject(486);
    return;
  }
  const result = await invite.accept({ sdp: "answer" });
  if (result.ok && random() < 0.5)
    clock.schedule(random() * 10_000, () => void result.session.bye().catch(assert.ifError));
}

async function run(seed: number, loss: number): Promise<{ results: InviteResult[]; ends: SessionEnd[] }> {
  const clock = new ManualClock();
  const network = new MemoryNetwork(clock, seed);
  network.conditions = { loss, duplication: 0.1, maxDelayMs: 400 };
  const random = seededRandom(seed);
  const callee = UserAgent.on(network.transport({ address: "10.0.0.1", port: 5060 }), {
    clock,
    onInvite: (invite) => void answerLater(invite, clock, random).catch(assert.ifError),
  });
  const caller = UserAgent.on(network.transport({ address: "10.0.0.2", port: 5060 }), {
    clock,
    onInvite: (invite) => invite.reject(486),
  });
  const results: InviteResult[] = [];
  const ends: SessionEnd[] = [];
  for (let count = 0; count < CALLS; count++) {
    const controller = new AbortController();
    if (random() < 0.2) clock.schedule(random() * 2000, () => controller.abort());
    const inviting = caller.invite({
      to: "sip:agent@10.0.0.1",
      from: "sip:caller@10.0.0.2",
      sdp: "offer",
      signal: controller.signal,
    });
    inviting
      .then((result) => {
        results.push(result);
        if (!result.ok) return undefined;
        clock.schedule(random() * 10_000, () => void result.session.bye().catch(assert.ifError));
        return result.session.ended.then((end) => ends.push(end));
      })
      .catch(assert.ifError);
    await clock.advance(200);
  }
  await clock.advance(400_000);
  for (const ua of [callee, caller]) assert.deepEqual(ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
  assert.equal(clock.pendingCount, 0);
  return { results, ends };
}

for (const seed of [1, 2, 3]) {
  test(`with a quarter of all datagrams lost, some doubled and many overtaken, every call ends (seed ${seed})`, async () => {
    const { results, ends } = await run(seed, 0.25);
    assert.equal(results.length, CALLS);
    const established = results.filter(({ ok }) => ok).length;
    assert.ok(established > CALLS / 3, `${established} established`);
    assert.equal(ends.length, established);
  });
}

test("without loss only refusals and cancellations fail a call", async () => {
  const { results } = await run(4, 0);
  const causes = new Set(results.map((result) => (result.ok ? "ok" : result.cause)));
  assert.deepEqual([...causes].sort(), ["cancelled", "ok", "rejected"]);
});
