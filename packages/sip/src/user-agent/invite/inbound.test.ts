import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNothingLeft, createRig, hangUp, type Rig } from "../../testing/rig.ts";
import type { AcceptResult, IncomingInvite } from "./incoming-invite.ts";
import type { Session } from "../session/session.ts";
import type { UserAgentOptions } from "../user-agent-options.ts";

interface CallRig extends Rig {
  invites: IncomingInvite[];
}

function createCallRig(options: Partial<UserAgentOptions> = {}): CallRig {
  const invites: IncomingInvite[] = [];
  return { ...createRig({ onInvite: (invite) => void invites.push(invite), ...options }), invites };
}

async function receiveInvite(
  rig: CallRig,
  headers: readonly string[] = [],
  body = "offer",
): Promise<IncomingInvite> {
  rig.peer.request({ method: "INVITE", headers, body });
  await rig.clock.advance(0);
  const invite = rig.invites.at(-1);
  assert.ok(invite !== undefined);
  return invite;
}

function sendAck(rig: CallRig, sequence = 1, body = ""): void {
  rig.peer.request({
    method: "ACK",
    branch: `z9hG4bKack${sequence}`,
    sequence,
    toTag: rig.peer.tagFrom("INVITE"),
    body,
  });
}

async function establish(rig: CallRig, headers: readonly string[] = []): Promise<Session> {
  const invite = await receiveInvite(rig, headers);
  const accepting = invite.accept({ sdp: "answer" });
  await rig.clock.advance(0);
  sendAck(rig);
  await rig.clock.advance(0);
  const result = await accepting;
  assert.ok(result.ok);
  return result.session;
}

test("a call gets 100 and 180, is accepted and ended by the caller", async () => {
  const rig = createCallRig({ userAgent: "Parley/test" });
  const invite = await receiveInvite(rig);
  assert.deepEqual(
    [invite.from.uri, invite.requestUri, invite.callId],
    ["sip:peer@10.0.0.2", "sip:agent@10.0.0.1", "call-1"],
  );
  assert.deepEqual([invite.body, invite.source], ["offer", { ...rig.peer.address, protocol: "UDP" }]);
  invite.ring();
  const accepting = invite.accept({ sdp: "answer" });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("INVITE"), [100, 180, 200]);
  const ok = rig.peer.responses("INVITE").at(-1);
  assert.equal(ok?.body.toString(), "answer");
  assert.equal(ok?.headers.get("contact"), "<sip:agent@10.0.0.1:5060>");
  assert.equal(ok?.headers.get("server"), "Parley/test");
  sendAck(rig);
  await rig.clock.advance(0);
  const result = await accepting;
  assert.ok(result.ok);
  const toTag = rig.peer.tagFrom("INVITE");
  rig.peer.request({
    method: "BYE",
    branch: "z9hG4bKbye",
    sequence: 2,
    toTag,
    headers: ["Reason: Q.850;cause=16"],
  });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("BYE"), [200]);
  const end = await result.session.ended;
  assert.equal(end.cause, "remote_bye");
  assert.equal(end.headers?.get("reason"), "Q.850;cause=16");
  await assertNothingLeft(rig);
});

test("the 2xx is repeated from 500 ms up to every 4 s until its ACK arrives", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig);
  const accepting = invite.accept({ sdp: "answer" });
  await rig.clock.advance(12_000);
  assert.equal(rig.peer.statuses("INVITE").filter((status) => status === 200).length, 6);
  sendAck(rig);
  await rig.clock.advance(10_000);
  assert.equal(rig.peer.statuses("INVITE").filter((status) => status === 200).length, 6);
  const result = await accepting;
  assert.ok(result.ok);
  await hangUp(rig, result.session);
  await assertNothingLeft(rig);
});

test("without an ACK the call ends after 32 s by BYE", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig);
  const accepting = invite.accept({ sdp: "answer" });
  await rig.clock.advance(33_000);
  assert.deepEqual(await accepting, { ok: false, reason: "no_ack" });
  assert.equal(rig.peer.last("BYE").requestUri, "sip:peer@10.0.0.2:5060");
  await assertNothingLeft(rig);
});

test("a CANCEL is answered, ends the INVITE with 487 and aborts the signal", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig);
  invite.ring();
  rig.peer.request({ method: "CANCEL" });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("CANCEL"), [200]);
  assert.deepEqual(rig.peer.statuses("INVITE"), [100, 180, 487]);
  assert.equal(rig.peer.tagFrom("CANCEL"), rig.peer.tagFrom("INVITE"));
  assert.equal(invite.signal.reason, "canceled");
  assert.deepEqual(await invite.accept({ sdp: "answer" }), { ok: false, reason: "canceled" });
  await assertNothingLeft(rig);
});

test("a CANCEL after the answer changes nothing", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  rig.peer.request({ method: "CANCEL" });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("CANCEL"), [200]);
  assert.equal(session.isEnded, false);
  await hangUp(rig, session);
});

test("a CANCEL without its INVITE is answered 481", async () => {
  const rig = createCallRig();
  rig.peer.request({ method: "CANCEL" });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("CANCEL"), [481]);
  await assertNothingLeft(rig);
});

test("a rejection is repeated until its ACK, with the given headers", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig);
  invite.reject(503, undefined, { "Retry-After": "30" });
  await rig.clock.advance(1000);
  assert.deepEqual(rig.peer.statuses("INVITE"), [100, 503, 503]);
  assert.equal(rig.peer.responses("INVITE").at(-1)?.headers.get("retry-after"), "30");
  rig.peer.request({ method: "ACK", toTag: rig.peer.tagFrom("INVITE") });
  await rig.clock.advance(10_000);
  assert.equal(rig.peer.statuses("INVITE").length, 3);
  assert.deepEqual(await invite.accept({ sdp: "answer" }), { ok: false, reason: "rejected" });
  await assertNothingLeft(rig);
});

test("a BYE in an early dialog ends the INVITE with 487", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig);
  invite.ring();
  await rig.clock.advance(0);
  rig.peer.request({ method: "BYE", branch: "z9hG4bKbye", sequence: 2, toTag: rig.peer.tagFrom("INVITE") });
  await rig.clock.advance(0);
  assert.deepEqual([rig.peer.statuses("BYE"), rig.peer.statuses("INVITE")], [[200], [100, 180, 487]]);
  assert.equal(invite.signal.reason, "hung_up");
  await assertNothingLeft(rig);
});

test("a call that ends before its ACK leaves no state", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig);
  const accepting = invite.accept({ sdp: "answer" });
  await rig.clock.advance(0);
  rig.peer.request({ method: "BYE", branch: "z9hG4bKbye", sequence: 2, toTag: rig.peer.tagFrom("INVITE") });
  await rig.clock.advance(0);
  assert.deepEqual(await accepting, { ok: false, reason: "hung_up" });
  await assertNothingLeft(rig);
});

test("a ringing call repeats its provisional response every minute and ends at its Expires", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig, ["Expires: 130"]);
  invite.ring();
  await rig.clock.advance(131_000);
  assert.deepEqual(rig.peer.statuses("INVITE").slice(0, 5), [100, 180, 180, 180, 487]);
  assert.equal(invite.signal.reason, "expired");
  await assertNothingLeft(rig);
});

test("an INVITE without an application decision is rejected after three minutes", async () => {
  const rig = createCallRig();
  await receiveInvite(rig);
  await rig.clock.advance(181_000);
  assert.equal(rig.peer.statuses("INVITE")[1], 480);
  await assertNothingLeft(rig);
});

test("without an offer our answer is the offer, and the ACK contains the answer", async () => {
  const rig = createCallRig();
  const invite = await receiveInvite(rig, [], "");
  assert.equal(invite.body, "");
  const accepting = invite.accept({ sdp: "our offer" });
  await rig.clock.advance(0);
  sendAck(rig, 1, "their answer");
  await rig.clock.advance(0);
  const result = await accepting;
  assert.ok(result.ok);
  assert.equal(result.session.remoteSdp, "their answer");
  await hangUp(rig, result.session);
});

test("a re-INVITE is passed to the application, whose answer and new target take effect", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  session.onReinvite = (offer) => ({ sdp: `answer to ${offer}` });
  const toTag = rig.peer.tagFrom("INVITE");
  rig.peer.request({ method: "INVITE", branch: "z9hG4bKre", sequence: 2, toTag, body: "hold" });
  await rig.clock.advance(0);
  const answer = rig.peer.responses("INVITE").at(-1);
  assert.deepEqual([answer?.status, answer?.body.toString()], [200, "answer to hold"]);
  sendAck(rig, 2);
  await rig.clock.advance(5000);
  assert.deepEqual(rig.peer.statuses("INVITE"), [100, 200, 100, 200]);
  assert.deepEqual([session.localSdp, session.remoteSdp], ["answer to hold", "hold"]);
  await hangUp(rig, session);
});

test("a rejected re-INVITE does not change the session", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  session.onReinvite = () => ({ status: 488 });
  const toTag = rig.peer.tagFrom("INVITE");
  rig.peer.request({ method: "INVITE", branch: "z9hG4bKre", sequence: 2, toTag, body: "video" });
  await rig.clock.advance(0);
  assert.equal(rig.peer.statuses("INVITE").at(-1), 488);
  assert.deepEqual([session.isEnded, session.remoteSdp], [false, "offer"]);
  await hangUp(rig, session);
});

test("a re-INVITE without an offer gets the current description, and its ACK contains the answer", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  const answers: string[] = [];
  session.onRemoteAnswer = (answer) => answers.push(answer);
  rig.peer.request({ method: "INVITE", branch: "z9hG4bKre", sequence: 2, toTag: rig.peer.tagFrom("INVITE") });
  await rig.clock.advance(0);
  assert.equal(rig.peer.responses("INVITE").at(-1)?.body.toString(), "answer");
  sendAck(rig, 2, "new answer");
  await rig.clock.advance(0);
  assert.deepEqual([answers, session.remoteSdp], [["new answer"], "new answer"]);
  await hangUp(rig, session);
});

test("a second re-INVITE while the first is undecided gets 500 with Retry-After", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  session.onReinvite = () => new Promise(() => undefined);
  const toTag = rig.peer.tagFrom("INVITE");
  rig.peer.request({ method: "INVITE", branch: "z9hG4bKre2", sequence: 2, toTag, body: "a" });
  await rig.clock.advance(0);
  rig.peer.request({ method: "INVITE", branch: "z9hG4bKre3", sequence: 3, toTag, body: "b" });
  await rig.clock.advance(0);
  const rejection = rig.peer.responses("INVITE").at(-1);
  assert.deepEqual([rejection?.status, rejection?.cseq.sequence], [500, 3]);
  assert.match(rejection?.headers.get("retry-after") ?? "", /^\d+$/);
  // The handler that never decides also times out.
  await rig.clock.advance(33_000);
  assert.ok(rig.peer.responses("INVITE").some(({ status, cseq }) => status === 500 && cseq.sequence === 2));
  await hangUp(rig, session);
  await assertNothingLeft(rig);
});

test("a request out of order gets 500, one for an unknown dialog 481", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  const toTag = rig.peer.tagFrom("INVITE");
  rig.peer.request({ method: "BYE", branch: "z9hG4bKlow", sequence: 0, toTag });
  rig.peer.request({ method: "BYE", branch: "z9hG4bKother", sequence: 5, toTag: "unknown" });
  rig.peer.request({ method: "BYE", branch: "z9hG4bKoutside", sequence: 6 });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("BYE"), [500, 481, 481]);
  assert.equal(session.isEnded, false);
  await hangUp(rig, session);
});

test("an offer among other body parts is found, unless another part is required", async () => {
  const rig = createCallRig();
  let count = 0;
  const invite = async (handling: string): Promise<void> => {
    count += 1;
    const isup = `Content-Type: application/isup${handling}\r\n\r\nx`;
    const body = `--b\r\n${isup}\r\n--b\r\nContent-Type: application/sdp\r\n\r\noffer\r\n--b--`;
    const headers = ["Content-Type: multipart/mixed;boundary=b"];
    rig.peer.request({ method: "INVITE", branch: `z9hG4bK${count}`, callId: `call-${count}`, headers, body });
    await rig.clock.advance(0);
  };
  await invite("\r\nContent-Disposition: signal;handling=required");
  assert.deepEqual([rig.peer.statuses("INVITE"), rig.invites.length], [[415], 0]);
  await invite("");
  await invite("\r\nContent-Disposition: signal;handling=optional");
  assert.deepEqual(
    rig.invites.map(({ body }) => body),
    ["offer", "offer"],
  );
});

test("unsupported requests are rejected in the order of §8.2", async () => {
  const rig = createCallRig();
  const { peer, clock } = rig;
  const statusOf = async (script: Parameters<typeof peer.request>[0]): Promise<number | undefined> => {
    peer.request({ branch: `z9hG4bK${Math.random()}`, callId: `${Math.random()}`, ...script });
    await clock.advance(0);
    return peer.responses(script.method).at(-1)?.status;
  };
  assert.equal(await statusOf({ method: "SUBSCRIBE" }), 405);
  assert.match(peer.responses("SUBSCRIBE")[0]?.headers.get("allow") ?? "", /INVITE.*BYE/);
  assert.equal(await statusOf({ method: "REFER" }), 403);
  assert.equal(await statusOf({ method: "UPDATE" }), 481);
  assert.equal(await statusOf({ method: "DANCE" }), 501);
  assert.equal(await statusOf({ method: "OPTIONS", requestUri: "mailto:x@y" }), 416);
  assert.equal(await statusOf({ method: "OPTIONS", requestUri: "nonsense" }), 400);
  assert.equal(await statusOf({ method: "INVITE", headers: ["Require: 100rel, foo"] }), 420);
  assert.equal(peer.responses("INVITE").at(-1)?.headers.get("unsupported"), "foo");
  assert.equal(await statusOf({ method: "INVITE", headers: ["Content-Type: text/plain"], body: "x" }), 415);
  assert.equal(await statusOf({ method: "INVITE", headers: ["Content-Encoding: gzip"], body: "x" }), 415);
  assert.equal(await statusOf({ method: "INVITE", headers: ["Contact: <sip:second@x>"] }), 400);
  assert.equal(await statusOf({ method: "OPTIONS" }), 200);
  assert.equal(peer.responses("OPTIONS").at(-1)?.headers.get("accept"), "application/sdp");
  await assertNothingLeft(rig);
});

test("the same INVITE on two paths is merged: the second gets 482", async () => {
  const rig = createCallRig();
  await receiveInvite(rig);
  rig.peer.request({ method: "INVITE", branch: "z9hG4bKtwo", body: "offer" });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("INVITE"), [100, 482]);
  assert.equal(rig.invites.length, 1);
});

test("an INVITE of RFC 2543, without the magic cookie, matches its retransmissions and its ACK", async () => {
  const rig = createCallRig();
  rig.peer.request({ method: "INVITE", branch: "old", body: "offer" });
  rig.peer.request({ method: "INVITE", branch: "old", body: "offer" });
  await rig.clock.advance(0);
  assert.equal(rig.invites.length, 1);
  rig.invites[0]?.reject(486);
  await rig.clock.advance(0);
  rig.peer.request({ method: "ACK", branch: "old", toTag: rig.peer.tagFrom("INVITE") });
  await rig.clock.advance(10_000);
  assert.deepEqual(
    rig.peer.statuses("INVITE").filter((status) => status === 486),
    [486],
  );
});

test("an error thrown by the application rejects the call and is reported", async () => {
  const errors: unknown[] = [];
  const rig = createRig({
    onInvite: () => {
      throw new Error("bug");
    },
    onError: (error) => errors.push(error),
  });
  rig.peer.request({ method: "INVITE", body: "offer" });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("INVITE"), [100, 500]);
  assert.equal(errors.length, 1);
});

test("our BYE follows the route set of the INVITE", async () => {
  const rig = createCallRig();
  const session = await establish(rig, ["Record-Route: <sip:10.0.0.2:5060;lr>, <sip:far.example.com;lr>"]);
  await hangUp(rig, session);
  const bye = rig.peer.last("BYE");
  assert.equal(bye.requestUri, "sip:peer@10.0.0.2:5060");
  assert.deepEqual(bye.headers.getAll("route"), ["<sip:10.0.0.2:5060;lr>", "<sip:far.example.com;lr>"]);
  await assertNothingLeft(rig);
});

test("a vanished peer ends the session at timer F", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  rig.network.filter = () => false;
  let isDone = false;
  const done = session.bye().then(() => (isDone = true));
  assert.deepEqual(await session.ended, { cause: "local_bye" });
  await rig.clock.advance(31_900);
  assert.equal(isDone, false);
  await rig.clock.advance(200);
  await done;
  await assertNothingLeft(rig);
});

test("malformed requests get a 400 with the same tag each time, and other garbage no answer", async () => {
  const rig = createCallRig();
  const bad = [
    "INVITE sip:agent@10.0.0.1 SIP/2.0",
    "Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bKbad;rport",
    "From: <sip:peer@10.0.0.2>;tag=1",
    "To: <sip:agent@10.0.0.1>",
    "Call-ID: bad",
    "CSeq: 1 INVITE",
    "Content-Length: many",
    "",
    "",
  ].join("\r\n");
  rig.peer.send(bad);
  rig.peer.send(bad);
  for (const garbage of ["\r\n\r\n", "\0\0\0\0", "hello", "SIP/2.0 200 OK\r\n\r\n"]) rig.peer.send(garbage);
  const oversized = bad.replace("Call-ID: bad", `Call-ID: bad\r\nX: ${"a".repeat(70_000)}`);
  rig.peer.send(oversized);
  await rig.clock.advance(0);
  const datagrams = rig.network.sent
    .filter(({ from }) => from.address === "10.0.0.1")
    .map(({ data }) => data.toString());
  assert.equal(datagrams.length, 2);
  assert.match(datagrams[0] ?? "", /^SIP\/2\.0 400 Bad Content-Length\r\n/);
  assert.equal(datagrams[0], datagrams[1]);
  assert.match(datagrams[0] ?? "", /;rport=5060;received=10\.0\.0\.2\r\n/);
  assert.equal(rig.ua.counts.transactions, 0);
});

test("requests above the transaction limit get 503 and use no memory", async () => {
  const rig = createCallRig({ maxTransactions: 3, onInvite: (invite) => invite.reject(486) });
  for (let index = 0; index < 5; index++) {
    rig.peer.request({ method: "INVITE", branch: `z9hG4bK${index}`, callId: `c${index}` });
  }
  await rig.clock.advance(0);
  const finals = rig.peer.statuses("INVITE").filter((status) => status >= 200);
  assert.deepEqual(finals, [486, 486, 486, 503, 503]);
  assert.equal(rig.peer.responses("INVITE").at(-1)?.headers.get("retry-after"), "5");
  assert.equal(rig.ua.counts.transactions, 3);
  await assertNothingLeft(rig);
});

function optionsFrom192(branch: string, rport: string): Buffer {
  return Buffer.from(
    `OPTIONS sip:10.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 192.168.1.5:5070;branch=${branch}${rport}\r\n` +
      `From: <sip:n@x>;tag=1\r\nTo: <sip:10.0.0.1>\r\nCall-ID: ${branch}\r\nCSeq: 1 OPTIONS\r\n\r\n`,
  );
}

test("responses go to the source port if rport is present, otherwise to the port of sent-by", async () => {
  const rig = createCallRig();
  const nat = rig.network.transport({ address: "192.0.2.9", port: 33_333 });
  nat.start(() => undefined);
  nat.send(optionsFrom192("z9hG4bKwith", ";rport"), rig.ua.address);
  nat.send(optionsFrom192("z9hG4bKwithout", ""), rig.ua.address);
  await rig.clock.advance(0);
  const responses = rig.network.sent.filter(({ from }) => from.address === "10.0.0.1");
  assert.deepEqual(
    responses.map(({ to }) => to),
    [
      { protocol: "UDP", address: "192.0.2.9", port: 33_333 },
      { protocol: "UDP", address: "192.0.2.9", port: 5070 },
    ],
  );
  assert.match(responses[0]?.data.toString() ?? "", /rport=33333;received=192\.0\.2\.9/);
});

test("closing rejects ringing calls, ends active ones and waits for the peers", async () => {
  const rig = createCallRig();
  const session = await establish(rig);
  rig.peer.request({ method: "INVITE", branch: "z9hG4bKtwo", callId: "call-2", body: "offer" });
  await rig.clock.advance(0);
  let result: AcceptResult | undefined;
  const closing = rig.ua.close().then(async () => (result = await rig.invites[1]?.accept({ sdp: "x" })));
  await rig.clock.advance(0);
  assert.equal(rig.peer.statuses("INVITE").at(-1), 503);
  rig.peer.respond(rig.peer.last("BYE"), 200);
  await rig.clock.advance(0);
  await closing;
  assert.deepEqual(result, { ok: false, reason: "closed" });
  assert.equal((await session.ended).cause, "local_bye");
  assert.equal(rig.ua.counts.transactions, 0);
  assert.equal(rig.clock.pendingCount, 0);
});

test("closing waits no longer than its deadline", async () => {
  const rig = createCallRig();
  await establish(rig);
  const closing = rig.ua.close({ deadlineMs: 1000 });
  assert.equal(rig.ua.close(), closing);
  await rig.clock.advance(1000);
  await closing;
  assert.deepEqual(rig.ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
  assert.equal(rig.clock.pendingCount, 0);
});
