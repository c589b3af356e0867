import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "@parley/testing";
import { parseInSlices, TooManyValuesError } from "./sliced-json.ts";

const parse = async (json: string, most = 1_000_000): Promise<unknown> =>
  await parseInSlices(json, most, (text) => JSON.parse(text));

const long = "x".repeat(1_000);

test("an object with long lists is parsed as a whole", async () => {
  const contacts = Array.from({ length: 1_000 }, (_, index) => ({
    toNumber: `+1415${index}`,
    variables: { [`na,m"e[]{}\\`]: `${long}",[{\\`, nested: [[], {}, [1]] },
  }));
  for (const value of [
    { name: "a", contacts, more: [], last: { list: [1, 2] } },
    { contacts: contacts.map(({ toNumber }) => toNumber), tags: ["[", "]"] },
    { contacts: [] },
    {},
    [contacts, contacts],
    "text",
    7,
  ])
    for (const indent of [0, 2])
      assert.deepEqual(await parse(JSON.stringify(value, undefined, indent)), value);
  assert.deepEqual(await parse('{"a":[1],"a":[2,3]}'), { a: [2, 3] });
});

test("what is no JSON is refused wherever it is broken, as by the parser of the whole", async () => {
  const random = seededRandom(7);
  const items = Array.from({ length: 300 }, (_, index) => ({ index, text: long, list: [index, { a: "b" }] }));
  const json = JSON.stringify({ name: "a", items, more: [1, 2, 3] });
  const inserted = [",", "]", "}", "[", "{", '"', "\\", ":", "1", " "];
  for (let round = 0; round < 150; round++) {
    // Most faults are at characters that have a meaning.
    const places = [...json.matchAll(/[[\]{},:"]/g)].map(({ index }) => index);
    const at = places[Math.floor(random() * places.length)] ?? 0;
    const end = at + Math.floor(random() * 2);
    const broken =
      json.slice(0, at) + (inserted[Math.floor(random() * inserted.length)] ?? "") + json.slice(end);
    const expected = await outcome(() => JSON.parse(broken));
    assert.deepEqual(
      await outcome(async () => await parse(broken)),
      expected,
      broken.slice(at - 40, at + 40),
    );
  }
  for (const broken of [
    '{"a":[1,2}',
    '{"a":[1,2]',
    '{"a":[',
    '{"a":[,]}',
    `{"a":["${long.repeat(100)}",]}`,
    '{"a":[1]]}',
  ])
    await assert.rejects(parse(broken), SyntaxError, broken.slice(0, 20));
});

async function outcome(run: () => unknown): Promise<unknown> {
  try {
    return { value: await run() };
  } catch {
    return "refused";
  }
}

test("values are counted, and too many of them refused", async () => {
  const json = JSON.stringify({ list: [1, 2, 3], object: { a: 1, b: ",,,[" } });
  await parse(json, 7);
  await assert.rejects(parse(json, 6), TooManyValuesError);
});

test("other work runs while a long text is parsed", async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const contacts = Array.from({ length: 5_000 }, () => ({ text: long }));
  await parse(JSON.stringify({ contacts }));
  clearImmediate(immediate);
  assert.ok(turns >= 100, `${turns} turns of the event loop`);
});
