import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateMos } from "./call-quality.ts";

test("a perfect telephone connection scores 4.4", () => {
  assert.equal(estimateMos({ delayMs: 0, lossFraction: 0 }), 4.41);
});

test("delay and loss lower the score within its scale", () => {
  assert.equal(estimateMos({ delayMs: 150, lossFraction: 0 }), 4.33);
  assert.equal(estimateMos({ delayMs: 400, lossFraction: 0 }), 3.05);
  assert.equal(estimateMos({ delayMs: 50, lossFraction: 0.05 }), 3.87);
  assert.equal(estimateMos({ delayMs: 5000, lossFraction: 1 }), 1);
});
