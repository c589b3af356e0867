import assert from "node:assert/strict";
import test from "node:test";
import type { Turn } from "@parley/contract";
import { countBillableSeconds, findMediaPeer, summarizeLatency } from "./calls.rules.ts";

function turn(id: number, totalMs: number | null): Turn {
  const parts = {
    endpointingMs: null,
    sttMs: 10,
    llmFirstTokenMs: 20,
    toolMs: 0,
    llmFirstClauseMs: 5,
    ttsFirstByteMs: 30,
    waitMs: 0,
    overheadMs: 1,
  };
  return { id: String(id), ...parts, totalMs };
}

test("our address in SDP has the IP version of the offered audio", () => {
  assert.equal(findMediaPeer("192.0.2.1", "v=0\r\nc=IN IP4 192.0.2.7\r\n"), "192.0.2.1");
  assert.equal(findMediaPeer("2001:db8::1", "v=0\r\nc=IN IP4 192.0.2.7\r\n"), "192.0.2.7");
  assert.equal(findMediaPeer("2001:db8::1", "v=0\r\nc=IN IP6 2001:db8::7\r\n"), "2001:db8::1");
  assert.equal(findMediaPeer("192.0.2.1", "v=0\r\nc=IN IP6 2001:db8::7\r\n"), "2001:db8::7");
  assert.equal(findMediaPeer("2001:db8::1", "v=0\r\nc=IN IP4 0.0.0.0\r\n"), "2001:db8::1");
  assert.equal(findMediaPeer("2001:db8::1", ""), "2001:db8::1");
});

test("a started second counts, and an unanswered call costs nothing", () => {
  const answeredAt = new Date("2026-01-01T00:00:00.000Z");
  assert.equal(countBillableSeconds(answeredAt, new Date("2026-01-01T00:00:10.001Z")), 11);
  assert.equal(countBillableSeconds(answeredAt, new Date("2026-01-01T00:00:10.000Z")), 10);
  assert.equal(countBillableSeconds(answeredAt, answeredAt), 0);
  assert.equal(countBillableSeconds(null, new Date()), 0);
});

test("p50 and p95 are measured values, over the turns that have them", () => {
  const turns = [null, ...Array.from({ length: 20 }, (_, index) => (index + 1) * 100)].map((ms, index) =>
    turn(index, ms),
  );
  const latency = summarizeLatency(turns);
  assert.deepEqual(latency?.totalMs, { p50: 1000, p95: 1900 });
  assert.deepEqual(latency?.sttMs, { p50: 10, p95: 10 });
  assert.equal(latency?.endpointingMs, null);
  assert.equal(summarizeLatency([]), null);
});
