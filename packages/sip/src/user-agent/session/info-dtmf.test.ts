import assert from "node:assert/strict";
import { test } from "node:test";
import { callIn, type ScriptedCall } from "../../testing/calls.ts";
import { assertNothingLeft, hangUp } from "../../testing/rig.ts";
import type { DtmfInfo } from "./info-dtmf.ts";

let infoCount = 0;

function sendInfo(call: ScriptedCall, type: string, body: string): Promise<void> {
  const { peer } = call.rig;
  peer.send(
    [
      "INFO sip:agent@10.0.0.1 SIP/2.0",
      `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bKinfo${++infoCount}`,
      "From: <sip:peer@10.0.0.2>;tag=peer",
      `To: <sip:agent@10.0.0.1>;tag=${call.established.replaces.fromTag}`,
      "Call-ID: call-1",
      `CSeq: ${100 + infoCount} INFO`,
      type,
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  return call.rig.clock.advance(0);
}

test("keys sent by INFO are read in both common formats", async () => {
  const call = await callIn();
  const keys: DtmfInfo[] = [];
  call.established.onDtmf = (key) => keys.push(key);
  await sendInfo(call, "Content-Type: application/dtmf-relay", "Signal=5\r\nDuration=160\r\n");
  await sendInfo(call, "Content-Type: application/dtmf-relay", "signal = #\nduration = 99999");
  await sendInfo(call, "Content-Type: application/dtmf-relay", "Signal=11");
  await sendInfo(call, "Content-Type: application/dtmf", "d");
  assert.deepEqual(keys, [
    { digit: "5", durationMs: 160 },
    { digit: "#", durationMs: 10_000 },
    { digit: "#", durationMs: undefined },
    { digit: "D", durationMs: undefined },
  ]);
  assert.equal(call.lastStatus("INFO"), 200);
  // RFC 2976: an empty INFO as keep-alive.
  await sendInfo(call, "Subject: none", "");
  assert.equal(call.lastStatus("INFO"), 200);
  for (const [type, body] of [
    ["Content-Type: application/dtmf", "55"],
    ["Content-Type: application/dtmf-relay", "Duration=100"],
    ["Content-Type: application/media_control+xml", "<x/>"],
  ] as const) {
    await sendInfo(call, type, body);
    assert.equal(call.lastStatus("INFO"), 415);
  }
  await sendInfo(call, "Info-Package: conference", "");
  assert.equal(call.lastStatus("INFO"), 469);
  assert.equal(keys.length, 4);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a key is sent by INFO, and the peer's response is returned", async () => {
  const call = await callIn();
  const sending = call.established.sendDtmf("7");
  await call.rig.clock.advance(0);
  const info = await call.respond("INFO", 200);
  assert.deepEqual(
    [info.headers.get("content-type"), info.body.toString()],
    ["application/dtmf-relay", "Signal=7\r\nDuration=160\r\n"],
  );
  assert.equal((await sending).ok, true);
  const rejected = call.established.sendDtmf("*", { type: "application/dtmf" });
  await call.rig.clock.advance(0);
  assert.equal((await call.respond("INFO", 415)).body.toString(), "*");
  assert.deepEqual(await rejected, { ok: false, cause: "rejected", status: 415, reason: "Scripted" });
  await hangUp(call.rig, call.established);
  assert.equal((await call.established.sendDtmf("1")).ok, false);
  await assertNothingLeft(call.rig);
});
