import assert from "node:assert/strict";
import { test } from "node:test";
import { callIn, callOut, type ScriptedCall } from "../testing/calls.ts";
import { assertNothingLeft, hangUp } from "../testing/rig.ts";
import type { IncomingRefer } from "./incoming-refer.ts";
import type { ReferOptions, ReferResult } from "./outgoing-refer.ts";

interface Transfer {
  call: ScriptedCall;
  progress: number[];
  result: Promise<ReferResult>;
}

async function transfer(options: Partial<ReferOptions> = {}): Promise<Transfer> {
  const call = await callOut();
  const progress: number[] = [];
  const result = call.established.refer({
    to: "sip:bob@example.com",
    onProgress: ({ status }) => progress.push(status),
    ...options,
  });
  await call.rig.clock.advance(0);
  return { call, progress, result };
}

let notifyCount = 0;

function notify(call: ScriptedCall, status: string, state = "active"): Promise<void> {
  const { peer } = call.rig;
  const bye = peer.last("REFER");
  const body = `SIP/2.0 ${status}\r\n`;
  peer.send(
    [
      `NOTIFY sip:agent@10.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bKnotify${++notifyCount}`,
      `From: ${bye.headers.get("to")}`,
      `To: ${bye.headers.get("from")}`,
      `Call-ID: ${bye.callId}`,
      `CSeq: ${1000 + notifyCount} NOTIFY`,
      `Event: refer`,
      `Subscription-State: ${state}`,
      `Content-Type: message/sipfrag;version=2.0`,
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  return call.rig.clock.advance(0);
}

test("a transfer is requested, followed and its outcome reported", async () => {
  const { call, progress, result } = await transfer({ referredBy: "sip:agent@10.0.0.1" });
  const refer = await call.respond("REFER", 202);
  assert.deepEqual(
    [refer.headers.get("refer-to"), refer.headers.get("referred-by")],
    ["<sip:bob@example.com>", "<sip:agent@10.0.0.1>"],
  );
  await notify(call, "100 Trying");
  await notify(call, "180 Ringing");
  await notify(call, "200 OK", "terminated;reason=noresource");
  assert.deepEqual(await result, { ok: true, status: 200, reason: "OK" });
  assert.deepEqual(progress, [100, 180, 200]);
  assert.deepEqual(call.rig.peer.statuses("NOTIFY"), [200, 200, 200]);
  // The subscription has ended.
  await notify(call, "200 OK");
  assert.equal(call.lastStatus("NOTIFY"), 481);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a transfer that is refused, fails or is not reported has the matching cause", async () => {
  const rejected = await transfer();
  await rejected.call.respond("REFER", 603);
  assert.deepEqual(await rejected.result, { ok: false, cause: "refused", status: 603, reason: "Scripted" });
  const failed = await transfer();
  await failed.call.respond("REFER", 202);
  await notify(failed.call, "486 Busy Here", "terminated;reason=noresource");
  assert.deepEqual(await failed.result, { ok: false, cause: "failed", status: 486, reason: "Busy Here" });
  const silent = await transfer({ timeoutMs: 10_000 });
  await silent.call.respond("REFER", 202);
  await silent.call.rig.clock.advance(10_000);
  assert.equal((await silent.result).ok, false);
  for (const { call } of [rejected, failed, silent]) {
    await hangUp(call.rig, call.established);
    await assertNothingLeft(call.rig);
  }
});

test("garbage, huge and countless reports do not decide a transfer", async () => {
  const { call, progress, result } = await transfer();
  await call.respond("REFER", 202);
  for (const status of ["", "999 Odd", "2000 OK", "-200 OK", "\u0000200 OK", "x".repeat(60_000)])
    await notify(call, status);
  assert.deepEqual(progress, []);
  for (let count = 0; count < 100; count++) await notify(call, `180 ${"Ringing ".repeat(7_000)}`);
  assert.equal(progress.length, 100);
  assert.equal(call.lastStatus("NOTIFY"), 200);
  await notify(call, `486 ${"Busy".repeat(10_000)}\r\nSIP/2.0 200 OK`, "terminated");
  const outcome = await result;
  assert.ok(!outcome.ok && outcome.cause === "failed");
  assert.equal(outcome.status, 486);
  assert.ok(outcome.reason.length <= 1_024, `${outcome.reason.length} characters`);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a transfer report is accepted after the peer has hung up", async () => {
  const { call, result } = await transfer();
  await call.respond("REFER", 202);
  await call.request("BYE");
  assert.equal((await call.established.ended).cause, "remote_bye");
  await notify(call, "200 OK", "terminated;reason=noresource");
  assert.equal((await result).ok, true);
  await assertNothingLeft(call.rig);
});

test("a call that ends without a report had its transfer accepted, or not", async () => {
  const over = { ok: false, status: 481, reason: "Call/Transaction Does Not Exist" };
  for (const isAccepted of [true, false]) {
    const { call, result } = await transfer();
    if (isAccepted) await call.respond("REFER", 202);
    await call.request("BYE");
    await call.rig.clock.advance(4_000);
    assert.deepEqual(await result, { ...over, cause: isAccepted ? "ended_unreported" : "ended" });
    await call.rig.clock.advance(32_000);
    await assertNothingLeft(call.rig);
  }
});

test("a peer that accepts, reports no outcome and hangs up has taken the call over", async () => {
  for (const [headers, report] of [
    // RFC 4488 §4: no reports will come.
    [["Refer-Sub: false"], undefined],
    [[], "100 Trying"],
    [[], "180 Ringing"],
  ] as const) {
    const { call, result } = await transfer();
    await call.respond("REFER", 202, [...headers]);
    if (report !== undefined) await notify(call, report, "terminated;reason=noresource");
    await call.request("BYE", { sequence: 9_000 });
    await call.rig.clock.advance(4_000);
    const outcome = await result;
    assert.ok(!outcome.ok && outcome.cause === "ended_unreported", JSON.stringify(outcome));
    await assertNothingLeft(call.rig);
  }
});

test("a call that ends from this side while its transfer is under way was not taken over", async () => {
  const { call, result } = await transfer();
  await call.respond("REFER", 202);
  await hangUp(call.rig, call.established);
  await call.rig.clock.advance(4_000);
  const outcome = await result;
  assert.ok(!outcome.ok && outcome.cause === "ended", JSON.stringify(outcome));
  await assertNothingLeft(call.rig);
});

test("a request whose outcome is due before its answer counts as unanswered", async () => {
  const { call, result } = await transfer({ timeoutMs: 5_000 });
  await call.rig.clock.advance(5_000);
  const outcome = await result;
  assert.ok(!outcome.ok && outcome.cause === "refused", JSON.stringify(outcome));
  await call.respond("REFER", 202);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a peer that does not answer the request does not transfer, and is not heard later", async () => {
  const { call, result } = await transfer();
  await call.rig.clock.advance(7_999);
  assert.equal(call.rig.peer.requests("REFER").length, 5);
  await call.rig.clock.advance(1);
  assert.deepEqual(await result, { ok: false, cause: "refused", status: 408, reason: "Request Timeout" });
  await call.respond("REFER", 202);
  await notify(call, "200 OK", "terminated;reason=noresource");
  assert.equal(call.lastStatus("NOTIFY"), 481);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a report that overtakes the answer to the request accepts it", async () => {
  const { call, result } = await transfer();
  await notify(call, "180 Ringing");
  await call.rig.clock.advance(10_000);
  await call.respond("REFER", 202);
  await notify(call, "200 OK", "terminated;reason=noresource");
  assert.equal((await result).ok, true);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("an attended transfer names the call to replace", async () => {
  const { call, result } = await transfer({
    replaces: { callId: "other@x", toTag: "to", fromTag: "from", isEarlyOnly: false },
  });
  assert.equal(
    call.rig.peer.last("REFER").headers.get("refer-to"),
    "<sip:bob@example.com?Replaces=other%40x%3Bto-tag%3Dto%3Bfrom-tag%3Dfrom>",
  );
  await call.respond("REFER", 202);
  await call.rig.clock.advance(120_000);
  assert.deepEqual(await result, { ok: false, cause: "no_report", status: 408, reason: "Request Timeout" });
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

async function referred(...headers: string[]): Promise<{ call: ScriptedCall; refers: IncomingRefer[] }> {
  const call = await callIn();
  const refers: IncomingRefer[] = [];
  call.established.onRefer = (refer) => void refers.push(refer);
  await call.request("REFER", { headers });
  return { call, refers };
}

test("the peer's REFER is accepted, and it gets reports on the call", async () => {
  const { call, refers } = await referred(
    "Refer-To: Bob <sip:bob@example.com?Replaces=abc%40x%3Bto-tag%3D1%3Bfrom-tag%3D2&X=y>",
    "Referred-By: <sip:alice@example.com>",
  );
  const [refer] = refers;
  assert.ok(refer !== undefined);
  assert.deepEqual(
    [refer.target, refer.replaces, refer.referredBy],
    [
      "sip:bob@example.com",
      { callId: "abc@x", toTag: "1", fromTag: "2", isEarlyOnly: false },
      "<sip:alice@example.com>",
    ],
  );
  refer.accept();
  await call.rig.clock.advance(0);
  assert.equal(call.lastStatus("REFER"), 202);
  const first = await call.respond("NOTIFY", 200);
  assert.deepEqual(
    ["event", "subscription-state", "content-type"].map((name) => first.headers.get(name)),
    ["refer", "active;expires=180", "message/sipfrag;version=2.0"],
  );
  assert.equal(first.body.toString(), "SIP/2.0 100 Trying\r\n");
  refer.report(180);
  refer.report(200);
  refer.report(486);
  await call.rig.clock.advance(0);
  assert.equal((await call.respond("NOTIFY", 200)).body.toString(), "SIP/2.0 180 Ringing\r\n");
  const last = await call.respond("NOTIFY", 200);
  assert.deepEqual(
    [last.body.toString(), last.headers.get("subscription-state")],
    ["SIP/2.0 200 OK\r\n", "terminated;reason=noresource"],
  );
  assert.equal(new Set(call.rig.peer.requests("NOTIFY").map(({ cseq }) => cseq.sequence)).size, 3);
  // The subscription of a second REFER in the same dialog has an id (RFC 3515 §2.4.6).
  await call.request("REFER", { sequence: 77, headers: ["Refer-To: sip:carol@example.com"] });
  refers[1]?.accept();
  await call.rig.clock.advance(0);
  assert.equal(call.rig.peer.last("NOTIFY").headers.get("event"), "refer;id=77");
  await call.respond("NOTIFY", 481);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a REFER without a handler, with no target or two, or without a decision is rejected", async () => {
  const call = await callIn();
  await call.request("REFER", { headers: ["Refer-To: <sip:bob@example.com>"] });
  assert.equal(call.lastStatus("REFER"), 603);
  call.established.onRefer = () => undefined;
  for (const headers of [[], ["Refer-To: <sip:a@x>, <sip:b@x>"], ["Refer-To: <sip:a@x?Replaces=nonsense>"]]) {
    await call.request("REFER", { headers });
    assert.equal(call.lastStatus("REFER"), 400);
  }
  await call.request("REFER", { headers: ["Refer-To: <sip:bob@example.com>"] });
  await call.rig.clock.advance(8_000);
  assert.equal(call.lastStatus("REFER"), 603);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a peer that suppresses reports gets none (RFC 4488)", async () => {
  const { call, refers } = await referred("Refer-To: <sip:bob@example.com>", "Refer-Sub: false");
  refers[0]?.accept();
  refers[0]?.report(200);
  await call.rig.clock.advance(0);
  const response = call.rig.peer.responses("REFER").at(-1);
  assert.deepEqual([response?.status, response?.headers.get("refer-sub")], [202, "false"]);
  assert.equal(call.rig.peer.requests("NOTIFY").length, 0);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a subscription without a final report expires", async () => {
  const { call, refers } = await referred("Refer-To: <sip:bob@example.com>");
  refers[0]?.accept();
  await call.rig.clock.advance(0);
  await call.respond("NOTIFY", 200);
  await call.rig.clock.advance(180_000);
  const last = await call.respond("NOTIFY", 200);
  assert.equal(last.headers.get("subscription-state"), "terminated;reason=timeout");
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a NOTIFY of another package, or without a subscription, is rejected", async () => {
  const call = await callIn();
  await call.request("NOTIFY", { headers: ["Event: message-summary"] });
  assert.equal(call.lastStatus("NOTIFY"), 489);
  await call.request("NOTIFY", { headers: ["Event: refer"] });
  assert.equal(call.lastStatus("NOTIFY"), 481);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});
