import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pino } from "pino";
import { SupervisedChild } from "./supervised-child.ts";
import { waitFor } from "@parley/testing";

const INTERVAL_MS = 100;
/** Several times the silence after which a child counts as stuck: ten intervals. */
const STALL_MS = 3_000;

describe("the watchdog of a child process", () => {
  let child: SupervisedChild<{ type: "start" } | { type: "hang" }, { type: "sign" }>;
  let signs = 0;
  const exits: string[] = [];

  before(async () => {
    child = new SupervisedChild({
      name: "fixture",
      entry: new URL("testing/supervised-child-fixture.ts", import.meta.url),
      firstMessage: () => ({ type: "start" }),
      onMessage: () => void signs++,
      onReady: () => undefined,
      onExit: (description) => void exits.push(description),
      logger: pino({ level: "silent" }),
      watchIntervalMs: INTERVAL_MS,
    });
    await waitFor("the child to start", () => child.isReady);
  });
  after(async () => await child.close(1_000));

  test("a parent that was stalled does not kill its children", async () => {
    const { pid } = child;
    // From `setImmediate` the event loop runs its overdue timers next, before it reads what the child has sent.
    for (let stalls = 0; stalls < 2; stalls++)
      await new Promise<void>((resolve) => setImmediate(() => resolve(stall())));
    const before = signs;
    await waitFor("signs of life after the stall", () => signs > before + 50);
    assert.deepEqual(exits, []);
    assert.equal(child.pid, pid);
  });

  test("a child that is stuck is killed and replaced", async () => {
    const { pid } = child;
    child.send({ type: "hang" });
    await waitFor("the child's end", () => exits.length > 0);
    assert.deepEqual(exits, ["fixture ended (SIGKILL)"]);
    await waitFor("another child", () => child.isReady);
    assert.notEqual(child.pid, pid);
  });
});

function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
}
