import assert from "node:assert/strict";
import { test } from "node:test";
import type { SipMessage, Turn } from "@parley/client";
import { segmentsOf } from "../web-calls/latency.rules.ts";
import { describeEnd, formatSeconds, otherRoleOf } from "./call-words.ts";
import { inProportion, outlineOf } from "./peaks.ts";
import { ladderOf } from "./sip-ladder.rules.ts";
import { readableJson } from "../../ui/json-text.rules.ts";
import { findCurrent } from "./transcript.rules.ts";

const turn: Turn = {
  id: "1",
  endpointingMs: 500,
  sttMs: 0,
  llmFirstTokenMs: 300,
  toolMs: 0,
  llmFirstClauseMs: null,
  ttsFirstByteMs: 100,
  waitMs: 0,
  overheadMs: 20,
  totalMs: 1000,
};

test("the segments of a turn add up to its total, with a rest if a part was not measured", () => {
  const segments = segmentsOf(turn);
  assert.deepEqual(
    segments.map(({ label, ms }) => [label, ms]),
    [
      ["End of turn", 500],
      ["Language model", 300],
      ["Voice", 100],
      ["Parley", 20],
      ["Rest", 80],
    ],
  );
  assert.equal(segmentsOf({ ...turn, totalMs: 920.4 }).at(-1)?.label, "Parley");
  assert.deepEqual(segmentsOf({ ...turn, totalMs: null }).at(-1)?.label, "Parley");
});

test("the line that is heard is the last that has begun", () => {
  const items = [0, 1000, 1000, 4000].map((startMs, index) => ({ id: String(index), startMs }));
  assert.equal(findCurrent(items, 0), "0");
  assert.equal(findCurrent(items, 3999), "2");
  assert.equal(findCurrent(items, 9000), "3");
  assert.equal(findCurrent(items.slice(1), 10), undefined);
  assert.equal(findCurrent([], 10), undefined);
});

test("an outline keeps the loudest sample of each part", () => {
  assert.deepEqual(outlineOf(Float32Array.from([0, -0.5, 0.25, 0, 1, 0]), 3), [0.5, 0.25, 1]);
  assert.deepEqual(outlineOf(Float32Array.from([0.5]), 3), [0.5]);
  assert.deepEqual(outlineOf(new Float32Array(), 3), []);
});

test("both sides are drawn in proportion, and a side that is almost silent looks so", () => {
  assert.deepEqual(inProportion([[0.004], [0.5, 0.25]]), [[0.008], [1, 0.5]]);
  assert.deepEqual(inProportion([[0.001], [0]]), [[0.05], [0]]);
});

test("SIP messages become steps with time, direction and meaning", () => {
  const end = { address: "192.0.2.1", port: 5060 };
  const message = (at: string, direction: SipMessage["direction"], text: string): SipMessage => ({
    at,
    direction,
    transport: "UDP",
    local: end,
    peer: end,
    text,
  });
  const invite = "INVITE sip:a@b SIP/2.0\r\nCSeq: 1 INVITE\r\nContent-Type: application/sdp\r\n\r\nv=0";
  const steps = ladderOf([
    message("2026-11-22T10:00:00.000Z", "received", invite),
    message("2026-11-22T10:00:00.250Z", "sent", "SIP/2.0 486 Busy Here\r\nCSeq: 1 INVITE\r\n\r\n"),
  ]);
  assert.deepEqual(
    steps.map(({ atMs, isSent, title, about, kind, hasSdp }) => [atMs, isSent, title, about, kind, hasSdp]),
    [
      [0, false, "INVITE", undefined, "request", true],
      [250, true, "486 Busy Here", "INVITE", "failure", false],
    ],
  );
  assert.deepEqual(ladderOf([]), []);
});

test("an end that this page does not know is shown by its code", () => {
  assert.equal(describeEnd("user_hangup").isOrdinary, true);
  assert.equal(describeEnd("struck_by_lightning" as "user_hangup").label, "struck_by_lightning");
});

test("durations have hours only if they need them, and only JSON is laid out", () => {
  assert.deepEqual([formatSeconds(5.9), formatSeconds(3725)], ["0:05", "1:02:05"]);
  assert.equal(readableJson('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(readableJson("no JSON"), "no JSON");
});

test("the other side of an outbound phone call is the callee, of all others the caller", () => {
  assert.equal(otherRoleOf({ channel: "phone", direction: "outbound" }), "Callee");
  assert.equal(otherRoleOf({ channel: "phone", direction: "inbound" }), "Caller");
  assert.equal(otherRoleOf({ channel: "web", direction: "inbound" }), "Caller");
});
