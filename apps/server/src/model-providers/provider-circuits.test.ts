import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderFault } from "@parley/conversation";
import { ProviderCircuits } from "./provider-circuits.ts";

const timeout: ProviderFault = {
  type: "fault",
  part: "llm",
  provider: "openai-compatible/small",
  kind: "timeout",
  message: "no first token within 2500 ms",
};
const FIRST = "openai-compatible.chat/small";

function setUp() {
  let nowMs = 1000;
  const circuits = new ProviderCircuits(() => nowMs);
  return {
    circuits,
    pass: (ms: number) => void (nowMs += ms),
    fail: (times: number, fault: ProviderFault = timeout, organization = "a") => {
      for (let each = 0; each < times; each++) circuits.noteFailure(organization, fault);
    },
    order: (organization = "a", names: [string, ...string[]] = [FIRST, "anthropic/x", "google/y"]) =>
      circuits.prefer(organization, names, (name) => name),
  };
}

test("after three failures in a row a provider comes last, for its organization alone", () => {
  const { fail, order, circuits } = setUp();
  fail(2);
  assert.equal(order()[0], FIRST);
  fail(1);
  assert.deepEqual(order(), ["anthropic/x", "google/y", FIRST]);
  assert.equal(order("b")[0], FIRST);
  assert.equal(circuits.openCount, 1);
});

test("an answer between the failures counts from zero", () => {
  const { fail, order, circuits } = setUp();
  fail(2);
  circuits.noteAnswer("a", FIRST);
  fail(2);
  assert.equal(order()[0], FIRST);
});

test("one conversation tries it again after 15 s: a failure doubles the time, an answer closes the circuit", () => {
  const { fail, order, circuits, pass } = setUp();
  fail(3);
  pass(14_999);
  assert.notEqual(order()[0], FIRST);
  pass(1);
  assert.deepEqual([order()[0], order()[0]], [FIRST, "anthropic/x"]);
  fail(1);
  pass(29_999);
  assert.notEqual(order()[0], FIRST);
  pass(1);
  assert.equal(order()[0], FIRST);
  circuits.noteAnswer("a", FIRST);
  assert.deepEqual([order()[0], order()[0], circuits.openCount], [FIRST, FIRST, 0]);
});

test("failures of conversations that began earlier do not prolong the time", () => {
  const { fail, order, pass } = setUp();
  fail(3);
  pass(10_000);
  fail(20);
  pass(5000);
  assert.equal(order()[0], FIRST);
});

test("a trial without an end does not keep the provider away for ever", () => {
  const { fail, order, pass } = setUp();
  fail(3);
  pass(15_000);
  order();
  pass(15_000);
  assert.equal(order()[0], FIRST);
});

test("a refusal of one request does not open the circuit, one of the key, the quota or the server does", () => {
  const opens = (status: number): boolean => {
    const { fail, order } = setUp();
    fail(5, { ...timeout, kind: "status", status });
    return order()[0] !== FIRST;
  };
  assert.deepEqual([400, 404, 422, 1008].filter(opens), []);
  assert.deepEqual([401, 402, 403, 429, 500, 503].filter(opens), [401, 402, 403, 429, 500, 503]);
});

test("a provider without another one is used although it fails", () => {
  const { fail, order } = setUp();
  fail(9);
  assert.deepEqual(order("a", [FIRST]), [FIRST]);
});
