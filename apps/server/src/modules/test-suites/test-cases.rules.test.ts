import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_TEST_CASE } from "@parley/contract";
import { changeDefinition } from "./test-cases.rules.ts";

test("the conditions of a caller merge by field, and null resets one or all to the default", () => {
  const change = (before: typeof DEFAULT_TEST_CASE, callerConditions: object | null) =>
    changeDefinition(before, { callerConditions });
  const noisy = change(DEFAULT_TEST_CASE, {
    backgroundNoise: "high",
    packetLossPercent: 5,
    silentAfterTurns: 0,
  });
  assert.deepEqual(noisy.callerConditions, {
    backgroundNoise: "high",
    packetLossPercent: 5,
    interruptsAfterMs: null,
    silentAfterTurns: 0,
  });
  const impatient = change(noisy, {
    interruptsAfterMs: 500,
    packetLossPercent: null,
    silentAfterTurns: null,
  });
  assert.deepEqual(impatient.callerConditions, {
    backgroundNoise: "high",
    packetLossPercent: 0,
    interruptsAfterMs: 500,
    silentAfterTurns: null,
  });
  assert.deepEqual(changeDefinition(impatient, {}).callerConditions, impatient.callerConditions);
  assert.deepEqual(change(impatient, null).callerConditions, DEFAULT_TEST_CASE.callerConditions);
});
