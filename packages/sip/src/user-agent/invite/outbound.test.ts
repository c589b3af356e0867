import assert from "node:assert/strict";
import { test } from "node:test";
import { DigestAuthenticator } from "../../digest/authenticator.ts";
import { assertNothingLeft, createRig, hangUp, type Rig } from "../../testing/rig.ts";
import type { InviteOptions, InviteResult } from "./invite-options.ts";

interface Placed {
  result: InviteResult | undefined;
}

async function place(rig: Rig, options: Partial<InviteOptions> = {}): Promise<Placed> {
  const placed: Placed = { result: undefined };
  const inviting = rig.ua.invite({
    to: "sip:peer@10.0.0.2",
    from: { displayName: 'The "Agent"', uri: "sip:+15550100@10.0.0.1" },
    sdp: "offer",
    ...options,
  });
  inviting.then((result) => (placed.result = result)).catch(assert.ifError);
  await rig.clock.advance(0);
  return placed;
}

test("a call is placed, acknowledged and ended by the peer", async () => {
  const rig = createRig({ userAgent: "Parley/test" });
  const statuses: number[] = [];
  const placed = await place(rig, {
    headers: { "X-Call": "7" },
    onProvisional: ({ status, sdp }) => statuses.push(status) && assert.equal(sdp, "early"),
  });
  const invite = rig.peer.last("INVITE");
  assert.equal(invite.requestUri, "sip:peer@10.0.0.2");
  assert.equal(invite.from.displayName, 'The "Agent"');
  assert.equal(invite.headers.get("contact"), "<sip:+15550100@10.0.0.1:5060>");
  assert.equal(invite.headers.get("x-call"), "7");
  assert.equal(invite.headers.get("user-agent"), "Parley/test");
  assert.equal(invite.body.toString(), "offer");
  assert.ok(invite.topVia.parameters.has("rport"));
  rig.peer.respond(invite, 100);
  rig.peer.respond(invite, 183, "callee", [], "early");
  rig.peer.respond(invite, 200, "callee", ["Record-Route: <sip:p1;lr>, <sip:10.0.0.2;lr>"], "answer");
  await rig.clock.advance(0);
  assert.deepEqual(statuses, [183]);
  const ack = rig.peer.last("ACK");
  assert.deepEqual([ack.requestUri, ack.cseq.sequence], ["sip:peer@10.0.0.2:5060", 1]);
  assert.deepEqual(ack.headers.getAll("route"), ["<sip:10.0.0.2;lr>", "<sip:p1;lr>"]);
  assert.ok(placed.result?.ok);
  const { session } = placed.result;
  assert.deepEqual([session.localSdp, session.remoteSdp], ["offer", "answer"]);
  rig.peer.request({
    method: "BYE",
    branch: "z9hG4bKbye",
    callId: invite.callId,
    fromTag: "callee",
    toTag: invite.from.parameters.get("tag") ?? "",
  });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("BYE"), [200]);
  assert.equal((await session.ended).cause, "remote_bye");
  await assertNothingLeft(rig);
});

test("a call uses the given routes, and a redirected one uses none of them", async () => {
  const rig = createRig();
  const destination = { address: "10.0.0.2", port: 5060 };
  const placed = await place(rig, {
    to: "sip:callee@far.example",
    destination,
    routes: ["sip:orig@edge.example;lr", "sip:core.example;lr"],
  });
  const invite = rig.peer.last("INVITE");
  assert.equal(invite.requestUri, "sip:callee@far.example");
  const routes = ["<sip:orig@edge.example;lr>", "<sip:core.example;lr>"];
  assert.deepEqual(invite.headers.getAll("route"), routes);
  rig.peer.respond(invite, 302, "callee", ["Contact: <sip:other@10.0.0.2>"]);
  await rig.clock.advance(0);
  // §17.1.1.3: the ACK of a rejection takes the path of its INVITE.
  assert.deepEqual(rig.peer.last("ACK").headers.getAll("route"), routes);
  const redirected = rig.peer.last("INVITE");
  assert.deepEqual([redirected.requestUri, redirected.headers.has("route")], ["sip:other@10.0.0.2", false]);
  rig.peer.respond(redirected, 486, "callee");
  await rig.clock.advance(0);
  assert.equal(placed.result?.ok, false);
  await assertNothingLeft(rig);
});

test("the ACK is sent again for each repeated 2xx", async () => {
  const rig = createRig();
  const placed = await place(rig);
  for (let repeat = 0; repeat < 3; repeat++) {
    rig.peer.respond(rig.peer.last("INVITE"), 200, "callee", [], "answer");
    await rig.clock.advance(500);
  }
  const acks = rig.peer.requests("ACK");
  assert.equal(acks.length, 3);
  assert.equal(new Set(acks.map((ack) => ack.topVia.parameters.get("branch"))).size, 1);
  assert.ok(placed.result?.ok);
  await hangUp(rig, placed.result.session);
  await assertNothingLeft(rig);
});

test("a second answering fork is acknowledged and ended", async () => {
  const rig = createRig();
  const placed = await place(rig);
  rig.peer.respond(rig.peer.last("INVITE"), 200, "first", [], "answer");
  rig.peer.respond(rig.peer.last("INVITE"), 200, "second", [], "answer");
  await rig.clock.advance(0);
  assert.deepEqual(
    rig.peer.requests("ACK").map((ack) => ack.to.parameters.get("tag")),
    ["first", "second"],
  );
  assert.deepEqual(
    rig.peer.requests("BYE").map((bye) => bye.to.parameters.get("tag")),
    ["second"],
  );
  assert.ok(placed.result?.ok);
  assert.equal(placed.result.session.isEnded, false);
  await hangUp(rig, placed.result.session);
  await assertNothingLeft(rig);
});

test("a rejection is acknowledged in its transaction and returned with status and reason", async () => {
  const rig = createRig();
  const placed = await place(rig);
  rig.peer.respond(rig.peer.last("INVITE"), 486, "callee", ["Retry-After: 9"]);
  await rig.clock.advance(0);
  assert.ok(placed.result !== undefined && !placed.result.ok);
  const { cause, status, reason, headers } = placed.result;
  assert.deepEqual([cause, status, reason, headers?.get("retry-after")], ["rejected", 486, "Scripted", "9"]);
  const [invite, ack] = [rig.peer.last("INVITE"), rig.peer.last("ACK")];
  assert.equal(ack.topVia.parameters.get("branch"), invite.topVia.parameters.get("branch"));
  assert.equal(ack.to.parameters.get("tag"), "callee");
  await assertNothingLeft(rig);
});

test("a missing response is reported after 32 s", async () => {
  const rig = createRig();
  const placed = await place(rig);
  await rig.clock.advance(32_100);
  assert.ok(placed.result !== undefined && !placed.result.ok);
  assert.deepEqual([placed.result.cause, placed.result.status], ["no_response", 408]);
  assert.equal(rig.peer.requests("INVITE").length, 7);
  await assertNothingLeft(rig);
});

test("an aborted call is canceled after a provisional response", async () => {
  const rig = createRig();
  const controller = new AbortController();
  const placed = await place(rig, { signal: controller.signal });
  controller.abort();
  await rig.clock.advance(100);
  assert.ok(placed.result !== undefined && !placed.result.ok && placed.result.cause === "canceled");
  assert.equal(rig.peer.requests("CANCEL").length, 0);
  const invite = rig.peer.last("INVITE");
  rig.peer.respond(invite, 180, "callee");
  await rig.clock.advance(0);
  const cancel = rig.peer.last("CANCEL");
  assert.equal(cancel.topVia.parameters.get("branch"), invite.topVia.parameters.get("branch"));
  assert.deepEqual(
    [cancel.cseq.sequence, cancel.requestUri, cancel.to.parameters.size],
    [1, invite.requestUri, 0],
  );
  rig.peer.respond(cancel, 200, "callee");
  rig.peer.respond(invite, 487, "callee");
  await rig.clock.advance(0);
  assert.equal(rig.peer.requests("ACK").length, 1);
  await assertNothingLeft(rig);
});

test("a 200 that crosses the CANCEL is acknowledged and ended by BYE", async () => {
  const rig = createRig();
  const controller = new AbortController();
  const placed = await place(rig, { signal: controller.signal });
  const invite = rig.peer.last("INVITE");
  rig.peer.respond(invite, 180, "callee");
  await rig.clock.advance(0);
  controller.abort();
  rig.peer.respond(invite, 200, "callee", [], "answer");
  await rig.clock.advance(0);
  assert.ok(placed.result !== undefined && !placed.result.ok && placed.result.cause === "canceled");
  assert.equal(rig.peer.requests("ACK").length, 1);
  rig.peer.respond(rig.peer.last("BYE"), 200);
  await assertNothingLeft(rig);
});

test("a canceled call without a final response is dropped", async () => {
  const rig = createRig();
  const controller = new AbortController();
  await place(rig, { signal: controller.signal });
  rig.peer.respond(rig.peer.last("INVITE"), 180, "callee");
  await rig.clock.advance(0);
  controller.abort();
  await assertNothingLeft(rig);
});

test("a call that rings too long is canceled and reported as ring_timeout", async () => {
  const rig = createRig();
  const placed = await place(rig, { ringTimeoutMs: 20_000 });
  rig.peer.respond(rig.peer.last("INVITE"), 180, "callee");
  await rig.clock.advance(20_000);
  assert.ok(placed.result !== undefined && !placed.result.ok);
  assert.deepEqual([placed.result.cause, placed.result.status], ["ring_timeout", 408]);
  assert.equal(rig.peer.requests("CANCEL").length, 1);
  rig.peer.respond(rig.peer.last("INVITE"), 487, "callee");
  await assertNothingLeft(rig);
});

test("a challenge is answered with the next CSeq, and the ACK also has the credentials", async () => {
  const rig = createRig();
  const authenticator = new DigestAuthenticator({ realm: "trunk", clock: rig.clock });
  const credentials = { username: "u", password: "p" };
  const placed = await place(rig, { credentials });
  const challenges = authenticator.challenges().map((value) => `WWW-Authenticate: ${value}`);
  rig.peer.respond(rig.peer.last("INVITE"), 401, "proxy", challenges);
  await rig.clock.advance(0);
  const [first, second] = rig.peer.requests("INVITE");
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([second.callId, second.cseq.sequence], [first.callId, 2]);
  assert.equal(second.from.parameters.get("tag"), first.from.parameters.get("tag"));
  assert.deepEqual(await authenticator.verify(second, () => "p"), { ok: true, username: "u" });
  rig.peer.respond(second, 200, "callee", [], "answer");
  await rig.clock.advance(0);
  const ack = rig.peer.requests("ACK").at(-1);
  assert.equal(ack?.headers.get("authorization"), second.headers.get("authorization"));
  assert.ok(placed.result?.ok);
  // The trunk also challenges the BYE.
  const done = placed.result.session.bye();
  await rig.clock.advance(0);
  const fresh = authenticator.challenges().map((value) => `WWW-Authenticate: ${value}`);
  rig.peer.respond(rig.peer.last("BYE"), 401, "callee", fresh);
  await rig.clock.advance(0);
  const byes = rig.peer.requests("BYE");
  assert.deepEqual(
    byes.map((bye) => bye.cseq.sequence),
    [3, 4],
  );
  const last = rig.peer.last("BYE");
  assert.deepEqual(await authenticator.verify(last, () => "p"), { ok: true, username: "u" });
  rig.peer.respond(last, 200);
  await assertNothingLeft(rig);
  await done;
});

test("rejected credentials end the call with the 401, and without credentials it ends at once", async () => {
  const rig = createRig();
  const placed = await place(rig, { credentials: { username: "u", password: "wrong" } });
  for (const nonce of ["a", "b"]) {
    rig.peer.respond(rig.peer.last("INVITE"), 407, "p", [
      `Proxy-Authenticate: Digest realm="r", nonce="${nonce}"`,
    ]);
    await rig.clock.advance(0);
  }
  assert.equal(rig.peer.requests("INVITE").length, 2);
  assert.ok(placed.result !== undefined && !placed.result.ok && placed.result.status === 407);
  const bare = await place(rig);
  rig.peer.respond(rig.peer.last("INVITE"), 401, "p", ['WWW-Authenticate: Digest realm="r", nonce="c"']);
  await rig.clock.advance(0);
  assert.ok(bare.result !== undefined && !bare.result.ok && bare.result.status === 401);
  await assertNothingLeft(rig);
});

test("an answer from a public address with a private Contact is followed to its source address", async () => {
  const rig = createRig();
  const publicPeer = rig.network.transport({ address: "203.0.113.5", port: 5060 });
  const arrived: string[] = [];
  publicPeer.start((data) => {
    const text = data.toString();
    arrived.push(text.slice(0, text.indexOf(" ")));
    if (!text.startsWith("INVITE")) return;
    const copied = text.split("\r\n").filter((line) => /^(Via|From|Call-ID|CSeq):/.test(line));
    const ok = ["SIP/2.0 200 OK", ...copied, "To: <sip:x@y>;tag=n", "Contact: <sip:n@192.168.1.2>", "", ""];
    publicPeer.send(Buffer.from(ok.join("\r\n")), rig.ua.address);
  });
  const placed = await place(rig, { to: "sip:peer@203.0.113.5" });
  assert.ok(placed.result?.ok);
  const done = placed.result.session.bye();
  await assertNothingLeft(rig);
  await done;
  assert.deepEqual(arrived.slice(0, 3), ["INVITE", "ACK", "BYE"]);
});

test("a response for another sender is dropped", async () => {
  const rig = createRig();
  const placed = await place(rig);
  const invite = rig.peer.last("INVITE");
  const forged = { ...invite, headers: invite.headers.copyOf(["from", "to", "call-id", "cseq"]) };
  forged.headers.prepend("via", "SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bKguess");
  rig.peer.respond(forged, 200, "evil", [], "answer");
  const twoVias = { ...invite, headers: invite.headers.copyOf(["via", "from", "to", "call-id", "cseq"]) };
  twoVias.headers.add("via", "SIP/2.0/UDP 10.0.0.9:5060;branch=z9hG4bKsecond");
  rig.peer.respond(twoVias, 200, "lost", [], "answer");
  await rig.clock.advance(0);
  assert.equal(placed.result, undefined);
  await assertNothingLeft(rig);
});

test("OPTIONS reports whether a peer is available", async () => {
  const rig = createRig();
  const asking = rig.ua.options({ to: "sip:10.0.0.2", from: "sip:10.0.0.1" });
  await rig.clock.advance(0);
  rig.peer.respond(rig.peer.last("OPTIONS"), 404, "x");
  await rig.clock.advance(0);
  const answer = await asking;
  assert.ok(answer.ok && answer.status === 404);
  const silent = rig.ua.options({ to: "sip:10.0.0.3", from: "sip:10.0.0.1" });
  await rig.clock.advance(32_000);
  assert.deepEqual(await silent, { ok: false, cause: "no_response" });
  assert.deepEqual(await rig.ua.options({ to: "missing", from: "sip:10.0.0.1" }), {
    ok: false,
    cause: "transport_error",
  });
  await assertNothingLeft(rig);
});

test("closing cancels a ringing call", async () => {
  const rig = createRig();
  const placed = await place(rig);
  rig.peer.respond(rig.peer.last("INVITE"), 180, "callee");
  await rig.clock.advance(0);
  const closing = rig.ua.close();
  await rig.clock.advance(0);
  rig.peer.respond(rig.peer.last("CANCEL"), 200, "callee");
  rig.peer.respond(rig.peer.last("INVITE"), 487, "callee");
  await rig.clock.advance(0);
  await closing;
  assert.ok(placed.result !== undefined && !placed.result.ok && placed.result.cause === "canceled");
  assert.equal(rig.clock.pendingCount, 0);
});
