import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumbers } from "./do-not-call.rules.ts";

const refusal = (message: RegExp) => (error: { issues?: { message: string }[] }) => {
  assert.match(error.issues?.[0]?.message ?? "no issue", message);
  return true;
};

test("cells in quotes contain separators, quotes and line breaks", async () => {
  const csv = 'note,phoneNumber\r\n"a ""b"",;\r\n","+14155550123"\n,\n;+4930123456';
  assert.deepEqual(await readNumbers(csv), ["+14155550123", "+4930123456"]);
});

test("malformed cells are refused with their line", async () => {
  for (const csv of ['+14155550123\n"+14155550123', '\n"+14155550123" ', '\n+1415"5550123'])
    await assert.rejects(readNumbers(csv), refusal(/malformed cell in line 2/));
});

test("a file with too many lines or columns is refused before all of it is read", async () => {
  const malformedEnd = '"';
  await assert.rejects(readNumbers("\n".repeat(1_000_000) + malformedEnd), refusal(/at most 10000 numbers/));
  await assert.rejects(readNumbers(",".repeat(1_000_000) + malformedEnd), refusal(/200 columns in line 1/));
});

test("a long cell in quotes is read", async () => {
  assert.deepEqual(await readNumbers(`+14155550123,"${"x".repeat(15_000_000)}"`), ["+14155550123"]);
});

test("other work runs while a long list is read", async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const numbers = Array.from({ length: 10_000 }, (_, index) => `+1415555${String(index).padStart(4, "0")}`);
  assert.equal((await readNumbers(numbers.join("\n"))).length, 10_000);
  clearImmediate(immediate);
  assert.ok(turns >= 40, `${turns} turns of the event loop`);
});
