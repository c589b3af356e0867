import assert from "node:assert/strict";
import { test } from "node:test";
import { BaseVectorCache, type BaseVectors } from "./base-vectors.ts";

/** A source with as many vectors as it has been read times. Each reading waits until it is released. */
class Source {
  readonly waiting: PromiseWithResolvers<void>[] = [];

  async countVectors(): Promise<number> {
    return await Promise.resolve(0);
  }

  async *readVectors() {
    const wait = Promise.withResolvers<void>();
    this.waiting.push(wait);
    const count = this.waiting.length;
    await wait.promise;
    for (let id = 1; id <= count; id++) yield { id, vector: Float32Array.of(1, 0) };
  }
}

const countOf = async (vectors: Promise<BaseVectors>) => (await vectors).groups.get(2)?.ids.length;
const turn = async () => await new Promise((resolve) => setImmediate(resolve));

test("a version is read once for all who wait, and kept", async () => {
  const source = new Source();
  const cache = new BaseVectorCache(source);
  const both = Promise.all([countOf(cache.get("a", 1)), countOf(cache.get("a", 1))]);
  await turn();
  source.waiting[0]?.resolve();
  assert.deepEqual(await both, [1, 1]);
  assert.equal(await countOf(cache.get("a", 1)), 1);
  assert.equal(source.waiting.length, 1);
});

test("while a changed base is read again, conversations search it as it was, and others wait", async () => {
  const source = new Source();
  const cache = new BaseVectorCache(source);
  const first = cache.get("a", 1);
  await turn();
  source.waiting[0]?.resolve();
  await first;
  const patient = countOf(cache.get("a", 2));
  assert.equal(await countOf(cache.get("a", 2, true)), 1);
  source.waiting[1]?.resolve();
  assert.equal(await patient, 2);
  assert.equal(await countOf(cache.get("a", 2, true)), 2);
  assert.equal(source.waiting.length, 2);
});

test("a reading that fails is repeated, and conversations have the earlier vectors meanwhile", async () => {
  const source = new Source();
  const cache = new BaseVectorCache(source);
  const first = cache.get("a", 1);
  await turn();
  source.waiting[0]?.resolve();
  await first;
  const hurried = countOf(cache.get("a", 2, true));
  const patient = assert.rejects(cache.get("a", 2), /no database/);
  await turn();
  source.waiting[1]?.reject(new Error("no database"));
  assert.equal(await hurried, 1);
  await patient;
  const again = countOf(cache.get("a", 2));
  await turn();
  source.waiting[2]?.resolve();
  assert.equal(await again, 3);
});
