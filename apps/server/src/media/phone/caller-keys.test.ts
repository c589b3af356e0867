import assert from "node:assert/strict";
import { test } from "node:test";
import { CallerKeys } from "./caller-keys.ts";

function create(): { keys: CallerKeys; heard: string[] } {
  const heard: string[] = [];
  return { keys: new CallerKeys((digit) => heard.push(digit)), heard };
}

test("keys by INFO are heard until the first telephone event", () => {
  const { keys, heard } = create();
  keys.takeInfo("1", 0);
  keys.takeInfo("2", 200);
  keys.noticeEvent();
  keys.takeInfo("3", 5_000);
  keys.takeEvent("3", 5_100);
  assert.deepEqual(heard, ["1", "2", "3"]);
});

test("a key that arrives both ways is heard once, whichever comes first", () => {
  for (const isInfoFirst of [true, false]) {
    const { keys, heard } = create();
    for (const [index, digit] of ["1", "1", "2"].entries()) {
      const atMs = index * 300;
      if (isInfoFirst) keys.takeInfo(digit, atMs);
      keys.noticeEvent();
      if (!isInfoFirst) keys.takeInfo(digit, atMs);
      keys.takeEvent(digit, atMs + 100);
    }
    assert.deepEqual(heard, ["1", "1", "2"]);
  }
});

test("the same key a while after an INFO is a new press", () => {
  const { keys, heard } = create();
  keys.takeInfo("1", 0);
  keys.noticeEvent();
  keys.takeEvent("1", 2_001);
  assert.deepEqual(heard, ["1", "1"]);
});

test("another party may send keys by INFO again", () => {
  const { keys, heard } = create();
  keys.noticeEvent();
  keys.reset();
  keys.takeInfo("5", 0);
  assert.deepEqual(heard, ["5"]);
});
