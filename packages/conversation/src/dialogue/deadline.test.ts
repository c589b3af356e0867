import assert from "node:assert/strict";
import { test } from "node:test";
import { systemTimers } from "../timers.ts";
import { Deadline } from "./deadline.ts";

test("a wait that begins after the abort rejects with its reason, and handles the rejection of what it waits for", async () => {
  const owner = new AbortController();
  owner.abort(new Error("over"));
  const deadline = new Deadline(owner.signal, systemTimers);
  // The test fails if this rejection is not handled.
  await assert.rejects(deadline.race(Promise.reject(new Error("aborted"))), /over/);
  deadline.close();
});
