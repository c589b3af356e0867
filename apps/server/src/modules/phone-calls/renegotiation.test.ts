import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalSrtpKeys, type SipMessage } from "@parley/sip";
import { seededRandom } from "@parley/testing";
import { ringIn, type ScriptedCall } from "../../../../../packages/sip/src/testing/calls.ts";
import { failingResolver } from "../../../../../packages/sip/src/testing/failing-resolver.ts";
import type { MediaPath } from "../../media/media-protocol.ts";
import type { CallOutcome } from "../active-calls/active-call.ts";
import { createMediaHostResolver } from "./media-hosts.ts";
import { PhoneSession } from "./phone-session.ts";
import { answerCallOffer, toAudioSettings, toMediaPath } from "./sip-audio.ts";

const payloadTypes = { PCMU: 0, PCMA: 8, G722: 9 } as const;
const codecs = Object.keys(payloadTypes) as (keyof typeof payloadTypes)[];
/** How a peer writes that it receives no audio (RFC 3264 §8.4, §6.1). */
const holds = ["sendonly", "inactive", "zero address"] as const;
const ways = ["INVITE with an offer", "INVITE without an offer", "UPDATE"] as const;

/** Field of the peer, which supports no timer: we refresh every 45 s. */
const REFRESHED = "Session-Expires: 90";

/** 200 of them are longer than the refresh interval; shorter than the first retransmission of a request. */
const LONG_STEP_MS = 250;

type Random = () => number;

function choose<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  assert.ok(value !== undefined);
  return value;
}

function directionIn(sdp: string): string {
  return /^a=(sendrecv|sendonly|recvonly|inactive)\r$/m.exec(sdp)?.[1] ?? "sendrecv";
}

/** A direction of one side as the other side writes it. */
function reversed(direction: string): string {
  return direction === "sendonly" ? "recvonly" : direction === "recvonly" ? "sendonly" : direction;
}

function intersect(left: string, right: string): string {
  if (left === "sendrecv" || left === right) return right;
  return right === "sendrecv" ? left : "inactive";
}

/** A PBX that puts calls on hold, moves them to other ports and resumes them. */
class Pbx {
  /** `undefined`: the call is not on hold. */
  hold: (typeof holds)[number] | undefined;
  port = 4000;
  codec: keyof typeof payloadTypes = "PCMU";
  /** Number of our refreshes of the session. */
  refreshes = 0;
  /** Our last description, from its side. */
  remote = "";
  #version = 0;
  #sequence = 100;
  /** Its request that has no final response. */
  #open: { method: string; sequence: number; isOffer: boolean } | undefined;
  /** True if the last change has not reached us. */
  #isChangeDue = false;
  #handled = 0;

  get isSettled(): boolean {
    return this.#open === undefined && !this.#isChangeDue;
  }

  /** @param offer that this description answers. */
  describe(offer = ""): string {
    const wanted = this.hold === undefined || this.hold === "zero address" ? "sendrecv" : this.hold;
    const direction = intersect(wanted, reversed(directionIn(offer)));
    const address = this.hold === "zero address" ? "0.0.0.0" : "10.0.0.2";
    const payloadType = payloadTypes[this.codec];
    return [
      "v=0",
      `o=- 42 ${++this.#version} IN IP4 10.0.0.2`,
      "s=-",
      `c=IN IP4 ${address}`,
      "t=0 0",
      `m=audio ${this.port} RTP/AVP ${payloadType}`,
      `a=rtpmap:${payloadType} ${this.codec}/8000`,
      `a=${direction}`,
      "",
    ].join("\r\n");
  }

  async change(call: ScriptedCall, way: (typeof ways)[number]): Promise<void> {
    if (this.#open !== undefined) {
      this.#isChangeDue = true;
      return;
    }
    this.#isChangeDue = false;
    const method = way === "UPDATE" ? "UPDATE" : "INVITE";
    const isOffer = way !== "INVITE without an offer";
    this.#open = { method, sequence: ++this.#sequence, isOffer };
    const body = isOffer ? this.describe() : "";
    await call.request(method, { sequence: this.#sequence, headers: [REFRESHED], body });
  }

  /** Answers what has arrived. */
  async react(call: ScriptedCall): Promise<void> {
    const { received } = call.rig.peer;
    while (this.#handled < received.length) {
      const message = received[this.#handled++];
      if (message !== undefined) await this.#receive(call, message);
    }
  }

  async #receive(call: ScriptedCall, message: SipMessage): Promise<void> {
    const body = message.body.toString();
    if (message.kind === "request") {
      assert.notEqual(message.method, "BYE", "we ended the call");
      if (message.method === "UPDATE") {
        this.refreshes++;
        return call.rig.peer.respond(message, 200, undefined, [`${REFRESHED};refresher=uac`]);
      }
      if (message.method !== "INVITE") return;
      // RFC 3261 §14.2.
      if (this.#open !== undefined) return call.rig.peer.respond(message, 491);
      // A refresh by re-INVITE repeats our description.
      if (body === this.remote) this.refreshes++;
      this.remote = body;
      const headers = [`${REFRESHED};refresher=uac`];
      return call.rig.peer.respond(message, 200, undefined, headers, this.describe(body));
    }
    const open = this.#open;
    if (message.status < 200 || open === undefined || message.cseq.sequence !== open.sequence) return;
    this.#open = undefined;
    const isAccepted = message.status < 300;
    if (isAccepted) this.remote = body;
    else this.#isChangeDue = true;
    if (open.method !== "INVITE") return;
    const { sequence, isOffer } = open;
    const branch = `z9hG4bK${isAccepted ? "ack" : "INVITE"}${sequence}`;
    const answer = isAccepted && !isOffer ? this.describe(body) : "";
    await call.request("ACK", { sequence, branch, body: answer });
  }
}

async function establish(pbx: Pbx, random: Random) {
  // Without UPDATE, the session is refreshed by re-INVITE.
  const allow = random() < 0.5 ? "Allow: INVITE, ACK, BYE, UPDATE" : "Allow: INVITE, ACK, BYE";
  const { call, invite } = await ringIn([allow, REFRESHED], pbx.describe(), { random });
  const settings = toAudioSettings({
    address: "10.0.0.1",
    port: 5000,
    sampleRateHz: 8000,
    srtp: { keys: new LocalSrtpKeys(), isRequired: false },
    isLoopbackAllowed: false,
  });
  let path: MediaPath | undefined;
  const media = { connect: (next: MediaPath) => (path = next), hearKey: () => {} };
  const answered = answerCallOffer(invite.body, settings);
  assert.ok(answered.ok);
  media.connect(toMediaPath(answered.audio));
  const hangUp = (outcome: CallOutcome): void => assert.fail(outcome.endDetail);
  const session = new PhoneSession({
    call: { id: "", hangUp, signal: new AbortController().signal, organizationId: "" },
    media,
    settings,
    resolveHosts: createMediaHostResolver(failingResolver, settings.address),
    sessions: new WeakMap(),
  });
  session.follow(invite.session);
  const accepting = invite.accept({ sdp: answered.sdp });
  await call.rig.clock.advance(0);
  await call.request("ACK", { sequence: 1, branch: "z9hG4bKack" });
  assert.ok((await accepting).ok);
  return {
    call,
    session: invite.session,
    path: () => path,
  };
}

/** One random history of a call, after which both sides want audio. Returns the number of our refreshes. */
async function play(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const pbx = new Pbx();
  const ours = await establish(pbx, random);
  const { call, session } = ours;
  const history: string[] = [];
  const settle = async (stepMs = 50): Promise<void> => {
    for (let round = 0; round < 200; round++) {
      await call.rig.clock.advance(stepMs);
      await pbx.react(call);
      if (!pbx.isSettled && round % 20 === 0) await pbx.change(call, choose(random, ways));
    }
    assert.ok(pbx.isSettled, `the peer's change never succeeded: ${history.join(", ")}`);
  };
  const step = async (): Promise<void> => {
    const way = choose(random, ways);
    const isOurs = random() < 0.3;
    history.push(isOurs ? "our hold or resume" : way);
    if (isOurs) return void (random() < 0.5 ? session.hold() : session.resume());
    pbx.hold = random() < 0.5 ? choose(random, holds) : undefined;
    if (random() < 0.3) pbx.port += 2;
    if (random() < 0.3) pbx.codec = choose(random, codecs);
    await pbx.change(call, way);
  };
  for (let steps = 0; steps < 8; steps++) {
    await step();
    // Without a pause the next change crosses this one.
    if (random() < 0.6) await settle(random() < 0.3 ? LONG_STEP_MS : undefined);
    else await pbx.react(call);
  }
  pbx.hold = undefined;
  const last = choose(random, ways);
  history.push(`resume by ${last}`);
  const isOursFirst = random() < 0.5;
  if (isOursFirst) void session.resume();
  await pbx.change(call, last);
  await settle();
  if (!isOursFirst) void session.resume();
  await settle();
  const path = ours.path();
  const told = history.join(", ");
  assert.deepEqual([path?.isSending, path?.isReceiving], [true, true], told);
  assert.deepEqual([path?.remote.port, path?.codec], [pbx.port, pbx.codec], told);
  assert.equal(directionIn(pbx.remote), "sendrecv", told);
  assert.match(
    pbx.remote,
    new RegExp(`^m=audio 5000 RTP/AVP (\\d+ )*${payloadTypes[pbx.codec]}\\b`, "m"),
    told,
  );
  return pbx.refreshes;
}

test("after any sequence of holds, resumes and moves there is audio both ways if both sides want it", async () => {
  let refreshes = 0;
  for (let seed = 1; seed <= 300; seed++) refreshes += await play(seed);
  assert.ok(refreshes > 100, "the session was refreshed meanwhile");
});
