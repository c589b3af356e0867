import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { seededRandom } from "@parley/testing";
import { MemoryNetwork } from "../testing/memory-network.ts";
import type { IncomingInvite } from "./invite/incoming-invite.ts";
import type { InviteResult } from "./invite/invite-options.ts";
import type { Session, SessionEnd } from "./session/session.ts";
import { UserAgent } from "./user-agent.ts";

const CALLS = 40;

/** The results of all calls at both ends. */
interface Outcome {
  results: InviteResult[];
  ends: SessionEnd[];
  /** Requested changes, transfers and keys, and how many of them the other side accepted. */
  asked: number;
  taken: number;
  /** Sessions whose ends disagree on the last negotiated descriptions. */
  disagreements: string[];
}

function describe(side: string, version: number, direction = "sendrecv"): string {
  const head = ["v=0", `o=${side} 7 ${version} IN IP4 10.0.0.1`, "s=-", "c=IN IP4 10.0.0.1", "t=0 0"];
  return [...head, "m=audio 4000 RTP/AVP 0", `a=${direction}`, ""].join("\r\n");
}

/** Two user agents on a network with seeded losses, duplicates and reordering, all with one clock. */
class LossyCalls {
  readonly #clock = new ManualClock();
  readonly #network: MemoryNetwork;
  readonly #random: () => number;
  readonly #outcome: Outcome = { results: [], ends: [], asked: 0, taken: 0, disagreements: [] };
  readonly #sessions = new Map<string, Session[]>();
  readonly #caller: UserAgent;
  readonly #callee: UserAgent;

  constructor(seed: number, loss: number) {
    this.#network = new MemoryNetwork(this.#clock, seed);
    this.#network.conditions = { loss, duplication: 0.1, maxDelayMs: 400 };
    this.#random = seededRandom(seed);
    const common = { clock: this.#clock, random: this.#random, onError: assert.ifError };
    this.#callee = UserAgent.on(this.#network.transport({ address: "10.0.0.1", port: 5060 }), {
      ...common,
      sessionTimer: { expiresSeconds: 90 },
      onInvite: (invite) => void this.#answer(invite).catch(assert.ifError),
    });
    this.#caller = UserAgent.on(this.#network.transport({ address: "10.0.0.2", port: 5060 }), {
      ...common,
      onInvite: (invite) => invite.reject(486),
    });
  }

  #sleep(maxMs: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.schedule(this.#random() * maxMs, resolve));
  }

  async #answer(invite: IncomingInvite): Promise<void> {
    const hasOffer = invite.body !== "";
    if (this.#random() < 0.5) invite.ring(183, { sdp: describe("callee", 1) });
    else invite.ring();
    await this.#sleep(3000);
    if (this.#random() < 0.15) {
      invite.reject(486);
      return;
    }
    const result = await invite.accept({ sdp: describe("callee", 1) });
    if (!result.ok) return;
    assert.ok(hasOffer || result.session.remoteSdp !== "");
    await this.#talk(result.session);
  }

  /** One side of an established call: a few random requests, then possibly a BYE. */
  async #talk(session: Session): Promise<void> {
    this.#sessions.set(session.callId, [...(this.#sessions.get(session.callId) ?? []), session]);
    session.onDtmf = () => undefined;
    session.onRefer = (refer) => {
      if (this.#random() < 0.3) refer.reject();
      else {
        refer.accept();
        void this.#sleep(5000).then(() => refer.report(this.#random() < 0.5 ? 200 : 486));
      }
    };
    // Later than the last request of both sides.
    const quiet = new Promise<void>((resolve) => void this.#clock.schedule(300_000, resolve));
    for (let count = 0; count < 4 && !session.isEnded; count++) {
      await this.#sleep(10_000);
      await this.#act(session);
    }
    await quiet;
    if (!session.isEnded) this.#compare(session);
    await this.#sleep(20_000);
    await session.bye();
  }

  async #act(session: Session): Promise<void> {
    const choice = this.#random();
    this.#outcome.asked++;
    let isTaken: boolean;
    if (choice < 0.3) isTaken = (await session.hold()).ok;
    else if (choice < 0.6) isTaken = (await session.resume()).ok;
    else if (choice < 0.75) isTaken = (await session.offer(describe("x", 1, "sendrecv"))).ok;
    else if (choice < 0.9)
      isTaken = (await session.refer({ to: "sip:third@10.0.0.3", timeoutMs: 20_000 })).ok;
    else isTaken = (await session.sendDtmf("5")).ok;
    if (isTaken) this.#outcome.taken++;
  }

  /** Compares both ends' descriptions while no exchange is open. */
  #compare(session: Session): void {
    const other = this.#sessions.get(session.callId)?.find((each) => each !== session);
    if (other === undefined || other.isEnded) return;
    if (session.localSdp !== other.remoteSdp || session.remoteSdp !== other.localSdp) {
      this.#outcome.disagreements.push(session.callId);
    }
  }

  async run(): Promise<Outcome> {
    for (let count = 0; count < CALLS; count++) {
      this.#place().catch(assert.ifError);
      await this.#clock.advance(300);
    }
    await this.#clock.advance(1_000_000);
    for (const ua of [this.#callee, this.#caller])
      assert.deepEqual(ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
    assert.equal(this.#clock.pendingCount, 0);
    return this.#outcome;
  }

  async #place(): Promise<void> {
    const controller = new AbortController();
    if (this.#random() < 0.2) this.#clock.schedule(this.#random() * 2000, () => controller.abort());
    const isLateOffer = this.#random() < 0.2;
    const result = await this.#caller.invite({
      to: "sip:agent@10.0.0.1",
      from: "sip:caller@10.0.0.2",
      sdp: isLateOffer ? "" : describe("caller", 1),
      onOffer: () => describe("caller", 1),
      signal: controller.signal,
    });
    this.#outcome.results.push(result);
    if (!result.ok) return;
    void result.session.ended.then((end) => this.#outcome.ends.push(end));
    await this.#talk(result.session);
  }
}

for (let seed = 1; seed <= 24; seed++) {
  test(`calls and requests end with a fifth of datagrams lost, some duplicated and many reordered (seed ${seed})`, async () => {
    const { results, ends, asked, taken, disagreements } = await new LossyCalls(seed, 0.2).run();
    assert.equal(results.length, CALLS);
    const established = results.filter(({ ok }) => ok).length;
    assert.ok(established > CALLS / 3, `${established} established`);
    assert.equal(ends.length, established);
    assert.ok(taken > asked / 3, `${taken} of ${asked} requests were taken`);
    assert.deepEqual(disagreements, []);
  });
}

test("without loss, calls fail only by rejection or cancellation, and no session is lost", async () => {
  const { results, ends, disagreements } = await new LossyCalls(100, 0).run();
  const causes = new Set(results.map((result) => (result.ok ? "ok" : result.cause)));
  assert.deepEqual([...causes].sort(), ["canceled", "ok", "rejected"]);
  assert.deepEqual(
    ends.filter(({ cause }) => cause !== "local_bye" && cause !== "remote_bye"),
    [],
  );
  assert.deepEqual(disagreements, []);
});
