import assert from "node:assert/strict";
import { test } from "node:test";
import { ClosingStack } from "./closing-stack.ts";

test("what was started last is closed first, once", async () => {
  const closed: string[] = [];
  const stack = new ClosingStack();
  stack.add(async () => void closed.push("first"));
  stack.add(async () => void closed.push("second"));
  await Promise.all([stack.close(), stack.close()]);
  assert.deepEqual(closed, ["second", "first"]);
});

test("a failure keeps nothing else from being closed, and is told", async () => {
  const closed: string[] = [];
  const stack = new ClosingStack();
  stack.add(async () => void closed.push("first"));
  stack.add(() => Promise.reject(new Error("stuck")));
  await assert.rejects(stack.close(), /stuck/);
  assert.deepEqual(closed, ["first"]);
});

test("what starts while everything ends is closed as well", async () => {
  const closed: string[] = [];
  const stack = new ClosingStack();
  await stack.close();
  stack.add(async () => void closed.push("late"));
  await stack.close();
  assert.deepEqual(closed, ["late"]);
});
