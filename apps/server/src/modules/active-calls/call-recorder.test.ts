import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { mock, test, type TestContext } from "node:test";
import { pino } from "pino";
import { systemClock } from "../../platform/clock.ts";
import { CallRecorder } from "./call-recorder.ts";
import { CallSpool, finishSpools } from "./call-spool.ts";
import type { CallWrites } from "../calls/call-write.ts";

const item = (id: string) => ({
  id,
  type: "message" as const,
  role: "user" as const,
  text: id,
  startMs: 0,
  endMs: 1,
});
const end = { status: "completed" as const, endReason: "user_hangup" as const, endedAt: new Date() };

/** Records writes; the first `failures` of them fail. */
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
      throw new Error("Connection terminated unexpectedly");
    }
    if (what === "poison") throw new Error("there is no such call");
    this.done.push(what);
  }
}

const logger = pino({ level: "silent" });

function openSpool(context: TestContext): { spool: CallSpool; folder: string } {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), "parley-spool-")), "spool");
  const spool = new CallSpool({ folder, nodeId: "node", logger });
  context.after(() => {
    spool.close();
    rmSync(path.dirname(folder), { recursive: true, force: true });
  });
  return { spool, folder };
}

function record(writes: Writes, spool: CallSpool): CallRecorder {
  return new CallRecorder({ calls: writes, callId: "call", spool, clock: systemClock, logger });
}

async function passSeconds(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    mock.timers.tick(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a call is written in the order of its events", async (context) => {
  const writes = new Writes();
  const { spool, folder } = openSpool(context);
  const recorder = record(writes, spool);
  recorder.ringing(new Date());
  recorder.answered({ at: new Date(), llmName: "", sttName: "", ttsName: "" });
  recorder.item(item("one"));
  recorder.item(item("two"));
  await recorder.finish(end);
  assert.deepEqual(writes.done, ["ringing", "answered", "one", "two", "finish"]);
  assert.equal(existsSync(folder), false);
});

test("failed writes are retried, and later writes do not overtake them", async (context) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const writes = new Writes();
    writes.failures = 3;
    const { spool, folder } = openSpool(context);
    const recorder = record(writes, spool);
    recorder.item(item("one"));
    const finished = recorder.finish(end);
    await passSeconds(10);
    await finished;
    assert.deepEqual(writes.done, ["one", "finish"]);
    assert.deepEqual(
      readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8")),
      [""],
    );
  } finally {
    mock.timers.reset();
  }
});

test("an unreachable database is awaited without a limit", async (context) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const writes = new Writes();
    writes.failures = 100;
    const recorder = record(writes, openSpool(context).spool);
    recorder.item(item("one"));
    const finished = recorder.finish(end);
    await passSeconds(600);
    await finished;
    assert.deepEqual(writes.done, ["one", "finish"]);
  } finally {
    mock.timers.reset();
  }
});

test("the next process finishes the writes of one that died", async (context) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { spool, folder } = openSpool(context);
    const writes = new Writes();
    writes.failures = Infinity;
    const recorder = record(writes, spool);
    recorder.answered({ at: end.endedAt, llmName: "", sttName: "", ttsName: "" });
    recorder.item(item("one"));
    await passSeconds(1);
    recorder.turn({
      id: "t",
      endpointingMs: 1,
      sttMs: 1,
      llmFirstTokenMs: 1,
      llmFirstClauseMs: 1,
      ttsFirstByteMs: 1,
      overheadMs: 1,
      totalMs: 1,
    });
    recorder.item(item("two"));
    void recorder.finish(end);
    await passSeconds(1);
    const [file = ""] = readdirSync(folder);
    appendFileSync(path.join(folder, file), '{"callId":"call","write":{"type":"it');
    const after = new Writes();
    await finishSpools(folder, after, logger);
    assert.deepEqual(after.done, ["answered", "one", "turn", "two", "finish"]);
    assert.deepEqual(readdirSync(folder), []);
    await finishSpools(folder, after, logger);
    assert.equal(after.done.length, 5);
  } finally {
    mock.timers.reset();
  }
});

test("calls of a spool that were written meanwhile are skipped, and so are writes that the database rejects", async (context) => {
  const { folder } = openSpool(context);
  mkdirSync(folder, { recursive: true });
  const lines = [
    { callId: "a", write: { type: "item", item: item("one"), at: end.endedAt } },
    { callId: "b", write: { type: "item", item: item("poison"), at: end.endedAt } },
    { callId: "a" },
    { callId: "b", write: { type: "item", item: item("two"), at: end.endedAt } },
  ];
  writeFileSync(path.join(folder, "old.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
  const writes = new Writes();
  await finishSpools(folder, writes, logger);
  assert.deepEqual(writes.done, ["two"]);
});

test("a spool is kept if the database goes away again while it is read", async (context) => {
  const { folder } = openSpool(context);
  mkdirSync(folder, { recursive: true });
  const line = { callId: "a", write: { type: "item", item: item("one"), at: end.endedAt } };
  writeFileSync(path.join(folder, "old.jsonl"), JSON.stringify(line));
  const writes = new Writes();
  writes.failures = 1;
  await assert.rejects(finishSpools(folder, writes, logger));
  await finishSpools(folder, writes, logger);
  assert.deepEqual(writes.done, ["one"]);
});

test("a spool stays within its size limit", (context) => {
  const { folder } = openSpool(context);
  const spool = new CallSpool({ folder, nodeId: "small", logger, maxBytes: 200 });
  for (let index = 0; index < 10; index += 1)
    spool.add("call", [{ type: "item", item: item(String(index)), at: end.endedAt }]);
  spool.close();
  assert.ok(readFileSync(path.join(folder, "small.jsonl")).length <= 200);
});
