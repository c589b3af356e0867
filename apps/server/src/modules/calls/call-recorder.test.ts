import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { pino } from "pino";
import { CallRecorder, type CallWrites } from "./call-recorder.ts";

const item = (id: string) => ({
  id,
  type: "message" as const,
  role: "user" as const,
  text: id,
  startMs: 0,
  endMs: 1,
});
const end = { status: "completed" as const, endReason: "user_hangup" as const, endedAt: new Date() };

/** Writes that are remembered; the first `failures` of them fail. */
class Writes implements CallWrites {
  readonly done: string[] = [];
  failures = 0;

  async markRinging(): Promise<void> {
    this.#write("ringing");
  }

  async markAnswered(): Promise<void> {
    this.#write("answered");
  }

  async setVariables(): Promise<void> {
    this.#write("variables");
  }

  async appendItems(_callId: string, items: readonly { id: string }[]): Promise<void> {
    this.#write(items.map(({ id }) => id).join());
  }

  async recordTurns(): Promise<void> {
    this.#write("turn");
  }

  async finish(): Promise<boolean> {
    this.#write("finish");
    return true;
  }

  #write(what: string): void {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the database is away");
    }
    this.done.push(what);
  }
}

function record(writes: Writes): CallRecorder {
  return new CallRecorder(writes, "call", pino({ level: "silent" }));
}

test("a call is written down in the order in which it went", async () => {
  const writes = new Writes();
  const recorder = record(writes);
  recorder.ringing(new Date());
  recorder.answered({ at: new Date(), llmName: "", sttName: "", ttsName: "" });
  recorder.item(item("one"));
  recorder.item(item("two"));
  await recorder.finish(end);
  assert.deepEqual(writes.done, ["ringing", "answered", "one", "two", "finish"]);
});

test("what the database does not take is tried again, and nothing overtakes it", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const writes = new Writes();
    writes.failures = 3;
    const recorder = record(writes);
    recorder.item(item("one"));
    const finished = recorder.finish(end);
    for (let second = 0; second < 10; second += 1) {
      mock.timers.tick(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await finished;
    assert.deepEqual(writes.done, ["one", "finish"]);
  } finally {
    mock.timers.reset();
  }
});
