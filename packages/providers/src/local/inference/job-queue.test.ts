import assert from "node:assert/strict";
import { test } from "node:test";
import { JobQueue, type JobOptions } from "./job-queue.ts";

/** Queues jobs that run until released and notes the order in which they started. */
function createHarness(maxWaiting = 10) {
  const queue = new JobQueue({ provider: "local/test", maxWaiting });
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const signal = new AbortController().signal;
  return {
    started,
    run: (name: string, options: Partial<JobOptions> = {}): Promise<string> =>
      queue.run({ urgency: "final", signal, ...options }, async () => {
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

test("jobs run one at a time, finals before partials, each in order of arrival", async () => {
  const { run, release, started } = createHarness();
  const jobs = [
    run("first"),
    run("partial 1", { urgency: "partial" }),
    run("final 1"),
    run("partial 2", { urgency: "partial" }),
    run("final 2"),
  ];
  for (const name of ["first", "final 1", "final 2", "partial 1", "partial 2"]) {
    assert.equal(started.at(-1), name);
    await release(name);
  }
  assert.deepEqual(await Promise.all(jobs), ["first", "partial 1", "final 1", "partial 2", "final 2"]);
});

test("a newer job of a stream drops its waiting partial, not another stream's", async () => {
  const { run, release, started } = createHarness();
  const running = run("running");
  const old = run("old", { urgency: "partial", streamId: "a" });
  const other = run("other", { urgency: "partial", streamId: "b" });
  const newer = run("newer", { urgency: "partial", streamId: "a" });
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

test("a job beyond the bound is refused as overloaded, and may be tried again", async () => {
  const { run, release } = createHarness(1);
  const running = run("running");
  const waiting = run("waiting");
  await assert.rejects(run("too many"), { message: "local/test: overloaded", isRetryable: true });
  await release("running");
  await release("waiting");
  await Promise.all([running, waiting]);
});

test("a job that fails does not hold up the next", async () => {
  const queue = new JobQueue({ provider: "local/test", maxWaiting: 4 });
  const { signal } = new AbortController();
  const failing = queue.run({ urgency: "final", signal }, () => Promise.reject(new Error("no memory")));
  const next = queue.run({ urgency: "final", signal }, () => Promise.resolve("done"));
  await assert.rejects(failing, /no memory/);
  assert.equal(await next, "done");
});
