import assert from "node:assert/strict";
import { test } from "node:test";
import { createRig, type Rig } from "../../testing/rig.ts";
import { failingResolver } from "../../testing/failing-resolver.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MemoryNetwork } from "../../testing/memory-network.ts";
import { ScriptedPeer } from "../../testing/scripted-peer.ts";
import type { Resolver } from "../../transport/resolver.ts";
import type { InviteResult } from "./invite-options.ts";
import { UserAgent } from "../user-agent.ts";

const twoServers: Resolver = {
  ...failingResolver,
  addresses: () => Promise.resolve({ records: ["10.0.0.2", "10.0.0.3"], ttlSeconds: 60 }),
};

interface TwoServers extends Rig {
  second: ScriptedPeer;
  call: (sdp?: string) => Promise<InviteResult>;
}

function createTwoServers(): TwoServers {
  const rig = createRig({ resolver: twoServers });
  const second = new ScriptedPeer(rig.network.transport({ address: "10.0.0.3", port: 5060 }), rig.ua.address);
  const call = (sdp = "offer"): Promise<InviteResult> =>
    rig.ua.invite({ to: "sip:carrier.example:5060", from: "sip:me@10.0.0.1", sdp });
  return { ...rig, second, call };
}

test("503 moves a call to the next server, with a new branch and its own ACK", async () => {
  const { clock, peer, second, call } = createTwoServers();
  const result = call();
  await clock.advance(0);
  const first = peer.last("INVITE");
  peer.respond(first, 503, "a", ["Retry-After: 60"]);
  await clock.advance(0);
  const again = second.last("INVITE");
  assert.equal(again.callId, first.callId);
  assert.notEqual(again.headers.get("via"), first.headers.get("via"));
  assert.equal(peer.requests("ACK").length, 1);
  second.respond(again, 200, "b", [], "answer");
  await clock.advance(0);
  assert.ok((await result).ok);
  assert.equal(second.requests("ACK").length, 1);
});

test("a server with Retry-After is tried last until that time has passed", async () => {
  const { clock, peer, second, call } = createTwoServers();
  void call();
  await clock.advance(0);
  peer.respond(peer.last("INVITE"), 503, "a", ["Retry-After: 60"]);
  await clock.advance(0);
  second.respond(second.last("INVITE"), 486, "b");
  await clock.advance(59_000);
  void call();
  await clock.advance(0);
  assert.equal(new Set(second.requests("INVITE").map(({ callId }) => callId)).size, 2);
  second.respond(second.last("INVITE"), 486, "b");
  await clock.advance(2_000);
  void call();
  await clock.advance(0);
  assert.equal(new Set(peer.requests("INVITE").map(({ callId }) => callId)).size, 2);
});

test("a silent server times out after 8 s, and all servers together after 32 s", async () => {
  const { clock, peer, second, call } = createTwoServers();
  const result = call();
  await clock.advance(7_999);
  assert.equal(second.requests("INVITE").length, 0);
  await clock.advance(1);
  assert.equal(second.requests("INVITE").length, 1);
  assert.equal(peer.requests("INVITE").length, 5);
  await clock.advance(24_000);
  const { ok, ...failure } = await result;
  assert.equal(ok, false);
  assert.ok("cause" in failure && failure.cause === "no_response");
});

test("every other rejection ends the attempt", async () => {
  const { clock, peer, second, call } = createTwoServers();
  const result = call();
  await clock.advance(0);
  peer.respond(peer.last("INVITE"), 500, "a");
  await clock.advance(0);
  assert.ok(!(await result).ok);
  assert.equal(second.received.length, 0);
});

test("a canceled call is not sent to another server", async () => {
  const rig = createTwoServers();
  const controller = new AbortController();
  const { clock, peer, second, ua } = rig;
  const to = "sip:carrier.example:5060";
  void ua.invite({ to, from: "sip:me@10.0.0.1", sdp: "offer", signal: controller.signal });
  await clock.advance(0);
  peer.respond(peer.last("INVITE"), 180, "a");
  await clock.advance(0);
  controller.abort();
  await clock.advance(0);
  peer.respond(peer.last("INVITE"), 503, "a");
  await clock.advance(60_000);
  assert.equal(peer.requests("CANCEL").length > 0, true);
  assert.equal(second.received.length, 0);
});

interface DualStack {
  clock: ManualClock;
  network: MemoryNetwork;
  ua: UserAgent;
  udpPeer: ScriptedPeer;
}

function createDualStack(): DualStack {
  const clock = new ManualClock();
  const network = new MemoryNetwork(clock);
  const here = { address: "10.0.0.1", port: 5060 };
  const ua = UserAgent.on([network.transport(here), network.transport(here, true)], {
    clock,
    resolver: failingResolver,
    onInvite: (invite) => invite.reject(486),
    onError: assert.ifError,
  });
  const udpPeer = new ScriptedPeer(network.transport({ address: "10.0.0.2", port: 5060 }), ua.address);
  return { clock, network, ua, udpPeer };
}

const bigOffer = `v=0\r\n${"a=x\r\n".repeat(300)}`;
const bigCall = { to: "sip:a@10.0.0.2", from: "sip:me@10.0.0.1", sdp: bigOffer };

test("a request too large for a datagram is sent over TCP", async () => {
  const { clock, network, ua, udpPeer } = createDualStack();
  const tcpPeer = new ScriptedPeer(network.transport({ address: "10.0.0.2", port: 5060 }, true), ua.address);
  void ua.invite(bigCall);
  await clock.advance(0);
  assert.match(tcpPeer.last("INVITE").headers.get("via") ?? "", /^SIP\/2\.0\/TCP 10\.0\.0\.1:5060/);
  assert.equal(udpPeer.received.length, 0);
  void ua.invite({ ...bigCall, sdp: "small" });
  await clock.advance(0);
  assert.equal(udpPeer.requests("INVITE").length, 1);
});

test("if TCP is refused, UDP is used, and the next request uses it at once", async () => {
  const { clock, network, ua, udpPeer } = createDualStack();
  void ua.invite(bigCall);
  await clock.advance(0);
  assert.match(udpPeer.last("INVITE").headers.get("via") ?? "", /^SIP\/2\.0\/UDP /);
  // TCP works now, but is still avoided.
  const tcpPeer = new ScriptedPeer(network.transport({ address: "10.0.0.2", port: 5060 }, true), ua.address);
  void ua.invite(bigCall);
  await clock.advance(0);
  assert.equal(tcpPeer.received.length, 0);
  assert.equal(new Set(udpPeer.requests("INVITE").map(({ callId }) => callId)).size, 2);
});
