import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { SpokenClause } from "./clause-cache.ts";
import { SpeechStore } from "./speech-store.ts";

async function createFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-speech-"));
  context.after(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}

const createClause = (samples: number): SpokenClause => ({
  pcm: Int16Array.from({ length: samples }, (_, at) => (at * 7919) % 65_536),
  words: [{ text: "héllo", startMs: 0, endMs: 12.5 }],
});

const MEGABYTE = 1024 * 1024;

test("a clause is the same after a restart, and for another process with the same folder", async (context) => {
  const folder = await createFolder(context);
  const store = await SpeechStore.open({ folder, maxBytes: MEGABYTE });
  assert.equal(await store.get("a"), undefined);
  await store.set("a", createClause(1000));
  for (const each of [store, await SpeechStore.open({ folder, maxBytes: MEGABYTE })]) {
    assert.equal(each.has("a"), true);
    assert.deepEqual(await each.get("a"), createClause(1000));
  }
});

test("the least recently used clauses are deleted beyond the limit, also at the start", async (context) => {
  const folder = await createFolder(context);
  // Room for two of 2,000 bytes with their descriptions.
  const store = await SpeechStore.open({ folder, maxBytes: 5000 });
  await store.set("a", createClause(1000));
  await store.set("b", createClause(1000));
  assert.ok(await store.get("a"));
  await store.set("c", createClause(1000));
  await store.set("larger than the store", createClause(10_000));
  assert.deepEqual(
    ["a", "b", "c", "larger than the store"].map((key) => store.has(key)),
    [true, false, true, false],
  );
  assert.equal((await readdir(folder)).length, 2);
  const [oldest = ""] = await readdir(folder);
  await utimes(path.join(folder, oldest), new Date(0), new Date(0));
  await SpeechStore.open({ folder, maxBytes: 3000 });
  const left = await readdir(folder);
  assert.ok(left.length === 1 && left[0] !== oldest);
});

test("a damaged file is deleted instead of played, and the clause can be stored again", async (context) => {
  const folder = await createFolder(context);
  const damages: ((bytes: Buffer) => Buffer)[] = [
    (bytes) => bytes.subarray(0, bytes.length / 2),
    () => Buffer.alloc(0),
    () => Buffer.alloc(36),
    (bytes) => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte)) as Buffer,
    (bytes) => Buffer.concat([bytes, bytes]),
  ];
  for (const damage of damages) {
    const store = await SpeechStore.open({ folder, maxBytes: MEGABYTE });
    await store.set("a", createClause(1000));
    const [name = ""] = await readdir(folder);
    const location = path.join(folder, name);
    await writeFile(location, damage(await readFile(location)));
    const reopened = await SpeechStore.open({ folder, maxBytes: MEGABYTE });
    assert.equal(await reopened.get("a"), undefined);
    assert.equal(reopened.has("a"), false);
    assert.deepEqual(await readdir(folder), []);
  }
});

test("a file deleted by another process counts as missing", async (context) => {
  const folder = await createFolder(context);
  const store = await SpeechStore.open({ folder, maxBytes: MEGABYTE });
  await store.set("a", createClause(10));
  for (const name of await readdir(folder)) await rm(path.join(folder, name));
  assert.equal(await store.get("a"), undefined);
  await store.set("a", createClause(10));
  assert.ok(await store.get("a"));
});

test("unfinished files of a crash are deleted after an hour, and other files are kept", async (context) => {
  const folder = await createFolder(context);
  const unfinished = (digit: string): string =>
    `${digit.repeat(64)}.01234567-89ab-cdef-0123-456789abcdef.part`;
  for (const name of [unfinished("a"), unfinished("b"), "notes.txt"])
    await writeFile(path.join(folder, name), "x");
  await utimes(path.join(folder, unfinished("a")), new Date(0), new Date(0));
  await SpeechStore.open({ folder, maxBytes: 0 });
  assert.deepEqual(await readdir(folder), [unfinished("b"), "notes.txt"]);
});

test("only its owner can read the stored speech", { skip: process.platform === "win32" }, async (context) => {
  const folder = path.join(await createFolder(context), "speech");
  const store = await SpeechStore.open({ folder, maxBytes: MEGABYTE });
  await store.set("a", createClause(10));
  const [name = ""] = await readdir(folder);
  assert.equal((await stat(folder)).mode & 0o077, 0);
  assert.equal((await stat(path.join(folder, name))).mode & 0o077, 0);
});

test("concurrent writers of one clause leave one complete file", async (context) => {
  const folder = await createFolder(context);
  const stores = await Promise.all(
    Array.from({ length: 4 }, async () => await SpeechStore.open({ folder, maxBytes: MEGABYTE })),
  );
  await Promise.all(stores.flatMap((store) => [1, 2].map(() => store.set("a", createClause(5000)))));
  assert.equal((await readdir(folder)).length, 1);
  const reopened = await SpeechStore.open({ folder, maxBytes: MEGABYTE });
  assert.deepEqual(await reopened.get("a"), createClause(5000));
});
