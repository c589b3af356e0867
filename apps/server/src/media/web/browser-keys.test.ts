import assert from "node:assert/strict";
import { test } from "node:test";
import { BrowserKeys } from "./browser-keys.ts";

function listen() {
  const pressed: string[] = [];
  return { pressed, keys: new BrowserKeys((key) => pressed.push(key)) };
}

const press = (key: unknown): string => JSON.stringify({ type: "key", key });

test("keys of a telephone are passed on; every other message is ignored", () => {
  const { pressed, keys } = listen();
  for (const key of ["0", "9", "*", "#", "A", "D"]) keys.receive(press(key), 0);
  const others = [
    press("E"),
    press("12"),
    press(""),
    press(1),
    '{"type":"key"}',
    '{"type":"hangUp","key":"1"}',
    "null",
    "[]",
    "1",
    "{",
    "",
    `${press("1")}${" ".repeat(300)}`,
    Buffer.from(press("1")),
    undefined,
  ];
  for (const message of others) keys.receive(message, 0);
  assert.equal(pressed.join(""), "09*#AD");
});

test("a flood of keys is cut to what a second allows, and the next second begins anew", () => {
  const { pressed, keys } = listen();
  for (let count = 0; count < 1000; count++) keys.receive(press("1"), 500 + count / 10);
  assert.equal(pressed.length, 25);
  keys.receive(press("2"), 1000);
  assert.equal(pressed.at(-1), "2");
});
