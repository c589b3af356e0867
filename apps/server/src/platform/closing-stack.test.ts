import assert from "node:assert/strict";
import { test } from "node:test";
import { ClosingStack } from "./closing-stack.ts";

test("the last started resource is closed first, and once", async () => {
  const closed: string[] = [];
  const stack = new ClosingStack();
  stack.add(async () => void closed.push("first"));
  stack.add(async () => void closed.push("second"));
  await Promise.all([stack.close(), stack.close()]);
  assert.deepEqual(closed, ["second", "first"]);
});

test("after a failure the other resources are closed, and the failure is reported", async () => {
  const closed: string[] = [];
  const stack = new ClosingStack();
  stack.add(async () => void closed.push("first"));
  stack.add(() => Promise.reject(new Error("stuck")));
  await assert.rejects(stack.close(), /stuck/);
  assert.deepEqual(closed, ["first"]);
});

test("a resource that starts during the close is closed as well", async () => {
  const closed: string[] = [];
  const stack = new ClosingStack();
  await stack.close();
  stack.add(async () => void closed.push("late"));
  await stack.close();
  assert.deepEqual(closed, ["late"]);
});
