import assert from "node:assert/strict";
import { test } from "node:test";
import type { Turn } from "@parley/client";
import { formatMs, medianOf, scaleOf } from "./latency.rules.ts";

function turns(...totals: (number | null)[]): Turn[] {
  const none = {
    endpointingMs: null,
    sttMs: null,
    llmFirstTokenMs: null,
    toolMs: null,
    llmFirstClauseMs: null,
    ttsFirstByteMs: null,
    waitMs: null,
    overheadMs: null,
  };
  return totals.map((totalMs, index) => ({ id: String(index), ...none, totalMs }));
}

test("the median passes over what was not measured", () => {
  assert.equal(medianOf(turns(900, null, 1100)), 1000);
  assert.equal(medianOf(turns(3000, 900, 1100)), 1100);
  assert.equal(medianOf(turns(900)), 900);
  assert.equal(medianOf(turns(null)), undefined);
  assert.equal(medianOf([]), undefined);
});

test("bars share one scale that the longest fits", () => {
  assert.equal(scaleOf([]), 2000);
  assert.equal(scaleOf(turns(700, null)), 2000);
  assert.equal(scaleOf(turns(700, 2300)), 3000);
});

test("durations are written in whole milliseconds", () => {
  assert.equal(formatMs(1016.6), "1,017 ms");
});
