import assert from "node:assert/strict";
import { test } from "node:test";
import type { Turn } from "@parley/contract";
import { explainFailure } from "./failure.rules.ts";

const quick: Turn = {
  id: "1",
  endpointingMs: 300,
  sttMs: 200,
  llmFirstClauseMs: 10,
  llmFirstTokenMs: 100,
  toolMs: 0,
  ttsFirstByteMs: 200,
  waitMs: 0,
  overheadMs: 10,
  totalMs: 810,
};
const failed = { isUnderstood: false, isHeard: false };
const ordinary = { endReason: "user_hangup", endDetail: null } as const;

test("a demo that succeeded has nothing to explain", () => {
  const slow = { ...ordinary, turns: [{ ...quick, sttMs: 5_000 }] };
  assert.deepEqual(explainFailure(slow, { isUnderstood: true, isHeard: true }, 1), []);
});

test("a slow step on a busy machine: says how slow, and that the machine is overloaded", () => {
  const call = { ...ordinary, turns: [quick, { ...quick, sttMs: 5_000 }] };
  assert.deepEqual(explainFailure(call, failed, 0.97), [
    "speech recognition took 5.0 s",
    "this machine is overloaded: its processors were 97 % busy during the call",
  ]);
});

test("a failed part is reported with the provider's message", () => {
  const call = { endReason: "error_tts", endDetail: "no audio within 4000 ms", turns: [] } as const;
  assert.deepEqual(explainFailure({ ...call, turns: [] }, failed, 0.5), [
    "the voice failed (no audio within 4000 ms)",
  ]);
});

test("without a slow step the machine is not mentioned", () => {
  const [reason] = explainFailure({ ...ordinary, turns: [quick] }, failed, 0.3);
  assert.equal(reason, "no step of the call was slow or failed");
});
