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
import type { CallWrites } from "../calls/call-write.ts";
import { CallRecorder } from "./call-recorder.ts";
import { LifeSigns } from "./life-signs.ts";
import { CallSpool, finishSpools } from "./call-spool.ts";

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

  async recordProviderFailure(): Promise<void> {
    this.#write("providerFailure");
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

/** Returns the calls that were ended as lost. */
async function finish(folder: string, calls: CallWrites): Promise<[callId: string, at: Date][]> {
  const lost: [callId: string, at: Date][] = [];
  const lostCalls = { close: async (callId: string, at: Date) => lost.push([callId, at]) > 0 };
  await finishSpools(folder, { calls, lostCalls, now: new Date(), logger });
  return lost;
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
      toolMs: 0,
      llmFirstClauseMs: 1,
      ttsFirstByteMs: 1,
      waitMs: 0,
      overheadMs: 1,
      totalMs: 1,
    });
    recorder.item(item("two"));
    void recorder.finish(end);
    await passSeconds(1);
    const [file = ""] = readdirSync(folder);
    appendFileSync(path.join(folder, file), '{"callId":"call","write":{"type":"it');
    const after = new Writes();
    await finish(folder, after);
    assert.deepEqual(after.done, ["answered", "one", "turn", "two", "finish"]);
    assert.deepEqual(readdirSync(folder), []);
    await finish(folder, after);
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
  await finish(folder, writes);
  assert.deepEqual(writes.done, ["two"]);
});

test("a spool is kept if the database goes away again while it is read", async (context) => {
  const { folder } = openSpool(context);
  mkdirSync(folder, { recursive: true });
  const line = { callId: "a", write: { type: "item", item: item("one"), at: end.endedAt } };
  writeFileSync(path.join(folder, "old.jsonl"), JSON.stringify(line));
  const writes = new Writes();
  writes.failures = 1;
  await assert.rejects(finish(folder, writes));
  await finish(folder, writes);
  assert.deepEqual(writes.done, ["one"]);
});

test("a spool stays within its size limit, and has the ends of calls above it", async (context) => {
  const { folder } = openSpool(context);
  const spool = new CallSpool({ folder, nodeId: "small", logger, maxBytes: 200 });
  for (let index = 0; index < 10; index += 1)
    spool.add("call", [{ type: "item", item: item(String(index)), at: end.endedAt }]);
  assert.ok(readFileSync(path.join(folder, "small.jsonl")).length <= 200);
  spool.add("call", [{ type: "finish", end }]);
  spool.close();
  const writes = new Writes();
  await finish(folder, writes);
  assert.deepEqual(writes.done, ["0", "finish"]);
});

test("the end of a call is written though more writes wait than fit", async (context) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const writes = new Writes();
    writes.failures = 1;
    const recorder = record(writes, openSpool(context).spool);
    for (let index = 0; index < 2_000; index += 1) recorder.item(item(String(index)));
    const finished = recorder.finish(end);
    await passSeconds(10);
    await finished;
    assert.deepEqual([writes.done.length, writes.done.at(-1)], [1_001, "finish"]);
  } finally {
    mock.timers.reset();
  }
});

test("a call without an end in the spool ends at its last sign of life: a write, or the file of life signs", async (context) => {
  const { spool, folder } = openSpool(context);
  const now = new Date("2026-06-01T12:00:00.000Z");
  const at = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
  const signs = new LifeSigns({
    folder,
    nodeId: "node",
    calls: () => [
      { id: "silent", endedAt: undefined },
      { id: "talking", endedAt: undefined },
      { id: "over", endedAt: at(-5) },
      { id: "unspooled end", endedAt: at(-3) },
    ],
    clock: { now: () => now },
    logger,
  });
  await signs.write();
  spool.add("talking", [{ type: "item", item: item("one"), at: at(2) }]);
  spool.add("over", [{ type: "finish", end: { ...end, endedAt: at(-5) } }]);
  const writes = new Writes();
  const lost = await finish(folder, writes);
  assert.deepEqual(writes.done, ["one", "finish"]);
  assert.deepEqual(
    new Map(lost),
    new Map([
      ["silent", now],
      ["talking", at(2)],
      ["over", at(-5)],
      ["unspooled end", at(-3)],
    ]),
  );
  assert.deepEqual(readdirSync(folder), []);
});

test("life signs are gone once no call is left, and half a file of them stops no start", async (context) => {
  const { folder } = openSpool(context);
  const calls = [{ id: "one", endedAt: undefined }];
  const signs = new LifeSigns({ folder, nodeId: "node", calls: () => calls, clock: systemClock, logger });
  await signs.write();
  assert.equal(readdirSync(folder).length, 1);
  calls.length = 0;
  await signs.write();
  assert.deepEqual(readdirSync(folder), []);
  writeFileSync(path.join(folder, "old.signs.json"), '{"one":"2026-');
  writeFileSync(path.join(folder, "old.signs.json.new"), "{");
  assert.deepEqual([await finish(folder, new Writes()), readdirSync(folder)], [[], []]);
});
