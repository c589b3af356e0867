import assert from "node:assert/strict";
import { test } from "node:test";
import { JobLoad, type JobPriority } from "./job-load.ts";
import { JobQueue, type JobOptions } from "./job-queue.ts";

/** Queues jobs that run until released and records the order in which they started. */
function createHarness(maxWaiting = 10, load?: JobLoad) {
  const queue = new JobQueue({ provider: "local/test", maxWaiting, ...(load && { load }) });
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const signal = new AbortController().signal;
  return {
    started,
    run: (name: string, options: Partial<JobOptions> = {}): Promise<string> =>
      queue.run({ priority: "turn", signal, ...options }, async () => {
        started.push(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        releases.set(name, resolve);
        await promise;
        return name;
      }),
    release: async (name: string): Promise<void> => {
      releases.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("jobs run one at a time, turns before partials, each in order of arrival", async () => {
  const { run, release, started } = createHarness();
  const jobs = [
    run("first"),
    run("partial 1", { priority: "partial" }),
    run("final 1"),
    run("partial 2", { priority: "partial" }),
    run("final 2"),
  ];
  for (const name of ["first", "final 1", "final 2", "partial 1", "partial 2"]) {
    assert.equal(started.at(-1), name);
    await release(name);
  }
  assert.deepEqual(await Promise.all(jobs), ["first", "partial 1", "final 1", "partial 2", "final 2"]);
});

test("a newer job of a stream drops that stream's waiting partial only", async () => {
  const { run, release, started } = createHarness();
  const running = run("running");
  const old = run("old", { priority: "partial", isReplaceable: true, streamId: "a" });
  const other = run("other", { priority: "partial", isReplaceable: true, streamId: "b" });
  const newer = run("newer", { priority: "partial", isReplaceable: true, streamId: "a" });
  await assert.rejects(old, { name: "ProviderError", message: "local/test: superseded", isRetryable: false });
  for (const name of ["running", "other", "newer"]) await release(name);
  await Promise.all([running, other, newer]);
  assert.deepEqual(started, ["running", "other", "newer"]);
});

test("a job aborted while it waits never starts", async () => {
  const { run, release, started } = createHarness();
  const controller = new AbortController();
  const running = run("running");
  const aborted = run("aborted", { signal: controller.signal });
  controller.abort(new Error("hung up"));
  await assert.rejects(aborted, /hung up/);
  await release("running");
  await running;
  assert.deepEqual(started, ["running"]);
});

test("a job beyond the limit is refused as overloaded, and is retryable", async () => {
  const { run, release } = createHarness(1);
  const running = run("running");
  const waiting = run("waiting");
  await assert.rejects(run("too many"), { message: "local/test: overloaded", isRetryable: true });
  await release("running");
  await release("waiting");
  await Promise.all([running, waiting]);
});

test("a failing job does not block the next", async () => {
  const queue = new JobQueue({ provider: "local/test", maxWaiting: 4 });
  const { signal } = new AbortController();
  const failing = queue.run({ priority: "turn", signal }, () => Promise.reject(new Error("no memory")));
  const next = queue.run({ priority: "turn", signal }, () => Promise.resolve("done"));
  await assert.rejects(failing, /no memory/);
  assert.equal(await next, "done");
});

test("preparation runs while no call needs any engine, and yields between its steps", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = context.mock.method(performance, "now", () => 0).mock;
  const pass = async (ms: number): Promise<void> => {
    const now = performance.now() + ms;
    clock.mockImplementation(() => now);
    context.mock.timers.tick(ms);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const load = new JobLoad({ quietMs: 1000 });
  const { signal } = new AbortController();
  const voice = new JobQueue({ provider: "local/voice", maxWaiting: 4, load });
  const recognizer = createHarness(4, load);
  const steps: string[] = [];
  const note = (step: string): void => void steps.push(step);
  const listening = recognizer.run("utterance");
  const preparing = voice.run({ priority: "preparation", signal }, async (giveWay) => {
    for (const step of ["one", "two", "three"]) {
      steps.push(step);
      await giveWay();
    }
    // At the end of a step of other work the engine belongs to this job.
    steps.push("done");
  });
  await pass(5_000);
  assert.deepEqual(steps, []);
  await recognizer.release("utterance");
  await listening;
  await pass(900);
  assert.deepEqual(steps, []);
  const answering = voice.run({ priority: "turn", signal }, async () => note("answer"));
  await answering;
  await pass(900);
  assert.deepEqual(steps, ["answer"]);
  await pass(100);
  await preparing;
  assert.deepEqual(steps, ["answer", "one", "two", "three", "done"]);
});

test("preparation waits a second after the models are loaded, because a call may have waited for them", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = context.mock.method(performance, "now", () => 0).mock;
  const { signal } = new AbortController();
  const queue = new JobQueue({
    provider: "local/voice",
    maxWaiting: 4,
    load: new JobLoad({ quietMs: 1000 }),
  });
  const steps: string[] = [];
  const preparing = queue.run(
    { priority: "preparation", signal },
    async () => void steps.push("preparation"),
  );
  await queue.run({ priority: "turn", signal }, async () => void steps.push("greeting"));
  clock.mockImplementation(() => 1_000);
  context.mock.timers.tick(1_000);
  await preparing;
  assert.deepEqual(steps, ["greeting", "preparation"]);
});

test("preparation releases its engine for a call, and acquires it again afterwards", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = context.mock.method(performance, "now", () => 0).mock;
  const load = new JobLoad({ quietMs: 1000 });
  const { signal } = new AbortController();
  const queue = new JobQueue({ provider: "local/voice", maxWaiting: 4, load });
  const steps: string[] = [];
  const note = (step: string): void => void steps.push(step);
  let answering: Promise<void> | undefined;
  const controller = new AbortController();
  const prepare = (name: string, whose: AbortSignal): Promise<void> =>
    queue.run({ priority: "preparation", signal: whose }, async (giveWay) => {
      steps.push(`${name} 1`);
      answering ??= queue.run({ priority: "turn", signal }, async () => note("answer"));
      await giveWay();
      steps.push(`${name} 2`);
    });
  clock.mockImplementation(() => 1_000);
  const aborted = prepare("aborted", controller.signal);
  const kept = prepare("kept", signal);
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await answering;
  controller.abort(new Error("no longer wanted"));
  await assert.rejects(aborted, /no longer wanted/);
  clock.mockImplementation(() => 2_000);
  context.mock.timers.tick(1_000);
  await kept;
  assert.deepEqual(steps, ["aborted 1", "answer", "kept 1", "kept 2"]);
  // Nothing is left busy.
  assert.equal(await queue.run({ priority: "turn", signal }, () => Promise.resolve("free")), "free");
});

test("waiting times are reported by priority", async () => {
  const waits: [JobPriority, number][] = [];
  const load = new JobLoad({ onStart: (priority, waitedMs) => waits.push([priority, waitedMs]) });
  const { run, release } = createHarness(4, load);
  const jobs = [run("first"), run("later", { priority: "partial" }), run("next")];
  for (const name of ["first", "next", "later"]) await release(name);
  await Promise.all(jobs);
  assert.deepEqual(
    waits.map(([priority]) => priority),
    ["turn", "turn", "partial"],
  );
  assert.ok(waits.every(([, waitedMs]) => waitedMs >= 0 && Number.isFinite(waitedMs)));
});

test("on a process that is never quiet preparation proceeds by a step per minute", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = context.mock.method(performance, "now", () => 0).mock;
  const load = new JobLoad();
  const { signal } = new AbortController();
  load.add("turn");
  const steps: string[] = [];
  const queue = new JobQueue({ provider: "local/voice", maxWaiting: 4, load });
  const preparing = queue.run({ priority: "preparation", signal }, async (giveWay) => {
    steps.push("one");
    await giveWay();
    steps.push("two");
  });
  const stepsAfter: number[] = [];
  for (let second = 1; second <= 121; second += 1) {
    clock.mockImplementation(() => second * 1000);
    context.mock.timers.tick(1000);
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if ([59, 61, 119, 121].includes(second)) stepsAfter.push(steps.length);
  }
  await preparing;
  assert.deepEqual(stepsAfter, [0, 1, 1, 2]);
});
