import assert from "node:assert/strict";
import { test } from "node:test";
import { skipWithout } from "../support/phone/peers.ts";
import { runTrial } from "./trial.ts";

test(
  "a campaign dials each attempt once and ends every contact, although a node is killed",
  { skip: skipWithout("sipp") },
  async () => {
    const result = await runTrial({
      contacts: 20,
      kills: 1,
      killIntervalMs: 2_000,
      seed: 1,
      deadlineMs: 240_000,
    });
    assert.deepEqual(result.violations, []);
    assert.equal(result.nodesKilled, 1);
    assert.ok(result.attempts >= 20);
  },
);
