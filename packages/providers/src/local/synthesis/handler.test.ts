import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { waitFor } from "@parley/testing";
import { JobLoad, type JobPriority } from "../inference/job-load.ts";
import { ClauseCache, type SpokenClause } from "./clause-cache.ts";
import type { SpeechEngine, SpeechPiece } from "./engine.ts";
import { createSynthesizeHandler } from "./handler.ts";
import { SpeechStore } from "./speech-store.ts";

/** Engine that speaks one piece of 0.5 s per word; a piece comes when `step` is called, or at once. */
class ToneEngine implements SpeechEngine {
  readonly name = "local/tone";
  version = "1";
  readonly sampleRateHz = 24_000;
  readonly voices = ["a"];
  readonly isOpen = true;
  readonly processorMs = 0;
  runs = 0;
  gate: Promise<void> | undefined;

  async *synthesize(text: string, _voice: unknown, signal: AbortSignal): AsyncGenerator<SpeechPiece> {
    this.runs += 1;
    const words = text.split(" ");
    for (const [index] of words.entries()) {
      await this.gate;
      signal.throwIfAborted();
      const samples = Float32Array.from({ length: 12_000 }, (_, at) => 0.2 * Math.sin(at / 5));
      yield { samples, wordEndsMs: [480], isLast: index + 1 === words.length };
    }
  }

  async warmUp(): Promise<void> {}

  async close(): Promise<void> {}
}

const params = {
  text: "one two",
  voice: "tone/a",
  speed: 1,
  sampleRateHz: 8000,
  priority: "turn" as JobPriority,
};

async function collect(
  handler: ReturnType<typeof createSynthesizeHandler>,
  overrides: Partial<typeof params> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Int16Array[]> {
  const chunks: Int16Array[] = [];
  await handler({ ...params, ...overrides }, { signal, emit: ({ pcm }) => void chunks.push(pcm) });
  return chunks;
}

test("audio has the requested rate, in chunks of at most 200 ms", async () => {
  const handler = createSynthesizeHandler({ tone: new ToneEngine() });
  for (const sampleRateHz of [8000, 16_000]) {
    const chunks = await collect(handler, { sampleRateHz });
    const samples = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    assert.ok(Math.abs(samples - sampleRateHz) < sampleRateHz / 100, `${samples}`);
    assert.ok(chunks.every((chunk) => chunk.length <= sampleRateHz / 5));
  }
});

test("a clause spoken before is not synthesized again", async () => {
  const engine = new ToneEngine();
  const handler = createSynthesizeHandler({ tone: engine });
  const first = await collect(handler);
  const second = await collect(handler);
  assert.equal(engine.runs, 1);
  assert.deepEqual(
    second.flatMap((chunk) => Array.from(chunk)),
    first.flatMap((chunk) => Array.from(chunk)),
  );
  await collect(handler, { speed: 1.2 });
  assert.equal(engine.runs, 2);
});

test("prepared speech survives a restart, at any rate; speech of calls is not stored on disk", async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-speech-"));
  context.after(async () => await rm(folder, { recursive: true }));
  const engine = new ToneEngine();
  const start = async (): ReturnType<typeof startHandler> => await startHandler(engine, folder);
  const first = await start();
  await collect(first, { text: "one" });
  await collect(first, { text: "two", priority: "preparation" });
  // Spoken in a call before: stored without another synthesis.
  await collect(first, { text: "three" });
  await collect(first, { text: "three", priority: "preparation" });
  assert.equal(engine.runs, 3);
  const second = await start();
  for (const sampleRateHz of [8000, 16_000]) {
    const samples = (await collect(second, { text: "two", sampleRateHz })).reduce(
      (sum, { length }) => sum + length,
      0,
    );
    assert.ok(Math.abs(samples - sampleRateHz / 2) < sampleRateHz / 100, `${samples}`);
  }
  await collect(second, { text: "three" });
  assert.equal(engine.runs, 3);
  await collect(second, { text: "one" });
  assert.equal(engine.runs, 4);
  engine.version = "2";
  await collect(await start(), { text: "two" });
  assert.equal(engine.runs, 5);
});

async function startHandler(
  engine: ToneEngine,
  folder: string,
): Promise<ReturnType<typeof createSynthesizeHandler>> {
  const store = await SpeechStore.open({ folder, maxBytes: 1024 * 1024 });
  return createSynthesizeHandler({ tone: engine }, { store, load: new JobLoad({ quietMs: 0 }) });
}

test("a call that needs a clause in preparation gets its audio, and the clause is not synthesized again", async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-speech-"));
  context.after(async () => await rm(folder, { recursive: true }));
  const store = await SpeechStore.open({ folder, maxBytes: 1024 * 1024 });
  const load = new JobLoad({ quietMs: 1000 });
  const startedAtMs = performance.now();
  context.mock.method(performance, "now", () => startedAtMs + 2_000);
  const engine = new ToneEngine();
  const handler = createSynthesizeHandler({ tone: engine }, { store, load });
  const gate = Promise.withResolvers<void>();
  engine.gate = gate.promise;
  const preparing = collect(handler, { text: "one", priority: "preparation" });
  await waitFor("the preparation to begin", () => engine.runs === 1);
  const calling = collect(handler, { text: "one" });
  gate.resolve();
  assert.ok((await calling).length > 0);
  // The end of the preparation does not wait until the call is over.
  await preparing;
  assert.equal(engine.runs, 1);
});

test("an aborted clause stops, is not cached, and lets the next one run", async () => {
  const engine = new ToneEngine();
  const handler = createSynthesizeHandler({ tone: engine });
  const gate = Promise.withResolvers<void>();
  engine.gate = gate.promise;
  const controller = new AbortController();
  const aborted = collect(handler, {}, controller.signal);
  const next = collect(handler);
  controller.abort(new Error("hung up"));
  gate.resolve();
  await assert.rejects(aborted, /hung up/);
  assert.ok((await next).length > 0);
  assert.equal(engine.runs, 2);
});

test("clauses beyond the limit are refused as retryable", async () => {
  const engine = new ToneEngine();
  const handler = createSynthesizeHandler({ tone: engine }, { maxWaiting: 1 });
  const gate = Promise.withResolvers<void>();
  engine.gate = gate.promise;
  const running = collect(handler, { text: "one" });
  const waiting = collect(handler, { text: "two" });
  await assert.rejects(collect(handler, { text: "three" }), { message: /overloaded/, isRetryable: true });
  gate.resolve();
  await Promise.all([running, waiting]);
});

test("unknown voices, speeds, rates and overlong texts are refused as not retryable", async () => {
  const handler = createSynthesizeHandler({ tone: new ToneEngine() });
  const wrong: Partial<typeof params>[] = [
    { voice: "tone/b" },
    { voice: "other/a" },
    { voice: "toString/a" },
    { voice: "" },
    { speed: 3 },
    { speed: Number.NaN },
    { sampleRateHz: 44_100 },
    { text: "word ".repeat(2000) },
  ];
  for (const overrides of wrong) {
    await assert.rejects(collect(handler, overrides), { name: "ProviderError", isRetryable: false });
  }
});

test("the end of each word comes with the last audio, also from the cache, unless words cannot be assigned", async () => {
  const engine = new ToneEngine();
  const handler = createSynthesizeHandler({ tone: engine });
  const context = { signal: new AbortController().signal, emit: () => undefined };
  const words = [
    { text: "one", startMs: 0, endMs: 480 },
    { text: "two.", startMs: 480, endMs: 980 },
  ];
  for (const isCached of [false, true]) {
    assert.deepEqual(await handler({ ...params, text: "one two." }, context), { words, isCached });
  }
  assert.equal(engine.runs, 1);
  assert.deepEqual(await handler({ ...params, text: "one —" }, context), { words: [], isCached: false });
});

test("the cache drops the least recently used clause and accepts none larger than itself", () => {
  const cache = new ClauseCache(40);
  const createClause = (samples: number): SpokenClause => ({ pcm: new Int16Array(samples), words: [] });
  cache.set("a", createClause(10));
  cache.set("b", createClause(10));
  assert.ok(cache.get("a"));
  cache.set("c", createClause(10));
  cache.set("huge", createClause(100));
  assert.deepEqual(
    ["a", "b", "c", "huge"].map((key) => cache.get(key) !== undefined),
    [true, false, true, false],
  );
});
