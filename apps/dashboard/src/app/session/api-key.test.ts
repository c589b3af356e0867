import assert from "node:assert/strict";
import { test } from "node:test";
import { readFragment } from "./api-key.ts";

test("a link may hold a token after its #", () => {
  assert.deepEqual(readFragment("#token=a.b-c_d"), {
    apiKey: undefined,
    agentId: undefined,
    token: "a.b-c_d",
  });
});

test("a link may hold a key and an agent after its #", () => {
  assert.deepEqual(readFragment("#key=parley_a%2Bb&agent=x"), {
    apiKey: "parley_a+b",
    agentId: "x",
    token: undefined,
  });
  assert.deepEqual(readFragment("#agent=x"), { apiKey: undefined, agentId: "x", token: undefined });
  assert.deepEqual(readFragment(""), { apiKey: undefined, agentId: undefined, token: undefined });
});
