import assert from "node:assert/strict";
import test from "node:test";
import { MAX_JSON_VALUES } from "@parley/contract";
import { readPreCallAnswer } from "./pre-call-answer.rules.ts";

function read(answer: unknown, { status = 200, isCut = false } = {}) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return readPreCallAnswer({
    status,
    body: new Uint8Array(Buffer.from(text)),
    isCut,
    contentType: "text/plain",
    contentEncoding: undefined,
    location: undefined,
  });
}

test("a complete answer is used, regardless of its content type", () => {
  const answer = { variables: { name: "Ada" }, firstMessage: "Hello {{name}}.", reject: { reason: "busy" } };
  assert.deepEqual(read(answer), { answer, problems: [] });
  assert.deepEqual(read({ reject: {} }), { answer: { reject: {} }, problems: [] });
});

test("a call is rejected with a reason, or by true without one; false does not reject it", () => {
  for (const reject of [true, false, {}, { reason: "busy" }])
    assert.deepEqual(read({ reject }), { answer: { reject }, problems: [] });
  for (const reject of ["true", 1, []])
    assert.deepEqual(read({ reject }), { answer: {}, problems: ["reject is invalid"] });
});

test("an empty answer is valid, and so is null for each field", () => {
  for (const answer of ["", " \n", {}, { variables: null, firstMessage: null, reject: null }])
    assert.deepEqual(read(answer), { answer: {}, problems: [] });
});

test("an answer that is not a JSON object, has an error status or is too long is ignored", () => {
  for (const answer of ["OK", "[]", "null", "7", '"x"', '{"variables":']) {
    assert.deepEqual(read(answer), { answer: {}, problems: ["the answer is not a JSON object"] });
  }
  const body = { firstMessage: "x" };
  assert.deepEqual(read(body, { status: 302 }), { answer: {}, problems: ["HTTP status 302"] });
  assert.deepEqual(read(body, { isCut: true }), {
    answer: {},
    problems: ["the answer has more than 1 MiB"],
  });
});

test("every invalid field is named, and the valid ones are used", () => {
  const variables = {
    name: "Ada",
    age: 42,
    vip: true,
    gone: null,
    list: ["x"],
    "a b": "x",
    long: "x".repeat(4001),
    "": "x",
  };
  assert.deepEqual(read({ variables, firstMessage: "Hi", reject: "yes", lucky: 7 }), {
    answer: { variables: { name: "Ada", age: 42, vip: true, gone: null }, firstMessage: "Hi" },
    problems: [
      "variables.list is invalid",
      "variables.a b is invalid",
      "variables.long is invalid",
      "variables. is invalid",
      "reject is invalid",
      "lucky is not a known field",
    ],
  });
  assert.deepEqual(read({ firstMessage: 7, variables: [] }), {
    answer: {},
    problems: ["firstMessage is invalid", "variables is invalid"],
  });
});

test("text that the database does not accept is repaired", () => {
  const bad = "a\\u0000b\\ud800";
  const text = `{"firstMessage":"${bad}","variables":{"name":"${bad}"},"reject":{"reason":"${bad}"},"${bad}":1}`;
  const good = "ab\ufffd";
  assert.deepEqual(read(text), {
    answer: { firstMessage: good, variables: { name: good }, reject: { reason: good } },
    problems: [`${good} is not a known field`],
  });
});

test("the first problems are named and the others counted", () => {
  const count = 5000;
  const names = Array.from({ length: count }, (_, index) => [`name ${index}`, "x"]);
  for (const answer of [Object.fromEntries(names), { variables: Object.fromEntries(names) }]) {
    const { problems } = read(answer);
    assert.equal(problems.length, 21);
    assert.equal(problems.at(-1), `${count - 20} more problems`);
  }
  const [longest] = read({ ["x".repeat(100_000)]: 1 }).problems;
  assert.equal(longest?.length, 200);
});

test("an answer with more values than a call can use is not read", () => {
  const of = (values: number): object => ({
    firstMessage: "x",
    more: Array.from({ length: values }, () => 0),
  });
  assert.deepEqual(read(of(MAX_JSON_VALUES)), {
    answer: {},
    problems: [`the answer has more than ${MAX_JSON_VALUES} values`],
  });
  assert.deepEqual(read(of(MAX_JSON_VALUES - 10)).answer, { firstMessage: "x" });
});
