import assert from "node:assert/strict";
import { test } from "node:test";
import { reconnectDelayMs } from "./reconnect.rules.ts";

test("the delay doubles with each failure up to 30 s, and at most half of it is random", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 100].map((failures) => reconnectDelayMs(failures, 1)),
    [500, 500, 1000, 2000, 30_000],
  );
  assert.equal(reconnectDelayMs(3, 0), 1000);
});
