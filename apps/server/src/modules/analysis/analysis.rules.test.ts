import assert from "node:assert/strict";
import test from "node:test";
import type { TranscriptItem } from "@parley/contract";
import { seededRandom } from "@parley/testing";
import {
  type AnalysisFields,
  answerSchema,
  hasCallerWords,
  readAnswer,
  renderInstructions,
  renderTranscript,
  unknownResult,
} from "./analysis.rules.ts";

const SEED = 7;

function field(
  name: string,
  type: AnalysisFields["postCallExtraction"][number]["type"],
  more: { options?: string[]; required?: boolean } = {},
): AnalysisFields["postCallExtraction"][number] {
  return { name, type, description: `the ${name}`, options: [], required: false, ...more };
}

const FIELDS: AnalysisFields = {
  postCallExtraction: [
    field("caller", "string"),
    field("guests", "number"),
    field("isMember", "boolean"),
    field("meal", "enum", { options: ["lunch", "dinner"] }),
    field("day", "date", { required: true }),
  ],
  postCallEvaluation: [{ name: "polite", criterion: "The agent was polite." }],
};

const GOOD = {
  extraction: { caller: " Ada ", guests: 4, isMember: false, meal: "dinner", day: "2026-11-28" },
  evaluation: { polite: { reason: "It said please.", result: "pass" } },
};

function item(more: Partial<TranscriptItem>): TranscriptItem {
  return { id: "1", type: "message", text: "", startMs: 0, endMs: 0, ...more };
}

function problemsOf(answer: unknown): string[] {
  const reading = readAnswer(JSON.stringify(answer), FIELDS);
  return reading.isValid ? [] : reading.problems;
}

test("a valid answer is read regardless of the text around it", () => {
  const text = JSON.stringify(GOOD);
  const ways = [
    text,
    `\`\`\`json\n${text}\n\`\`\``,
    `Here you are: ${text} Anything else?`,
    `<think>{"a": 1} looks wrong</think>${text}`,
  ];
  for (const answer of ways) {
    assert.deepEqual(readAnswer(answer, FIELDS), {
      isValid: true,
      missing: [],
      result: {
        extraction: { ...GOOD.extraction, caller: "Ada" },
        evaluation: [{ name: "polite", result: "pass", reason: "It said please." }],
      },
    });
  }
});

test("values of wrong types are named, and the whole answer is rejected", () => {
  const bad = {
    extraction: { caller: 5, guests: "4", isMember: "no", meal: "breakfast", day: "28.11.2026" },
    evaluation: { polite: { reason: " ", result: "pass" } },
  };
  assert.deepEqual(problemsOf(bad), [
    "extraction.caller must be a string or null",
    "extraction.guests must be a number or null",
    "extraction.isMember must be true, false or null",
    'extraction.meal must be null or one of ["lunch","dinner"]',
    "extraction.day must be null or a date as YYYY-MM-DD",
    "evaluation.polite must have a reason of one sentence",
  ]);
  assert.deepEqual(problemsOf({ ...GOOD, evaluation: {} }), [
    'evaluation.polite must have a result of "pass", "fail" or "unknown"',
  ]);
  for (const day of ["2026-02-30", "2026-13-01", "2026-11-28T10:00:00Z", 20261128]) {
    assert.equal(problemsOf({ ...GOOD, extraction: { ...GOOD.extraction, day } }).length, 1, String(day));
  }
  for (const answer of [[], null, "text", 5]) {
    assert.deepEqual(problemsOf(answer), ["the answer is not one JSON object"]);
  }
});

test("a value that the call does not contain is null, and reported if the field is required", () => {
  const extraction = { caller: "", guests: null, isMember: null, meal: null, day: null };
  const reading = readAnswer(JSON.stringify({ ...GOOD, extraction }), FIELDS);
  assert.ok(reading.isValid);
  assert.deepEqual(reading.missing, ["day"]);
  assert.deepEqual(reading.result.extraction, { ...extraction, caller: null });
});

test("fields may have the names of inherited properties", () => {
  const names = ["__proto__", "constructor", "toString"];
  const fields = { postCallExtraction: names.map((name) => field(name, "string")), postCallEvaluation: [] };
  const empty = readAnswer('{ "extraction": {} }', fields);
  assert.deepEqual(empty, { isValid: false, problems: names.map((name) => `extraction.${name} is missing`) });
  const answer = '{ "extraction": { "__proto__": "a", "constructor": "b", "toString": null } }';
  const reading = readAnswer(answer, fields);
  assert.ok(reading.isValid);
  assert.deepEqual(Object.entries(reading.result.extraction ?? {}), [
    ["__proto__", "a"],
    ["constructor", "b"],
    ["toString", null],
  ]);
});

test("the schema has exactly the agent's fields, all of them required and no others", () => {
  const nothing = { postCallExtraction: [], postCallEvaluation: [] };
  assert.deepEqual(answerSchema(nothing), {
    type: "object",
    properties: {},
    required: [],
    additionalProperties: false,
  });
  const { properties } = JSON.parse(JSON.stringify(answerSchema(FIELDS)));
  assert.deepEqual(properties.extraction.required, ["caller", "guests", "isMember", "meal", "day"]);
  assert.deepEqual(properties.extraction.properties.meal.enum, ["lunch", "dinner", null]);
  assert.equal(properties.extraction.additionalProperties, false);
  assert.deepEqual(properties.evaluation.properties.polite.required, ["reason", "result"]);
});

test("the prompt contains the time of the call in the agent's time zone", () => {
  const call = { transcript: [], startedAt: new Date("2026-11-21T23:30:00Z"), timezone: "Europe/Berlin" };
  assert.match(renderInstructions(FIELDS, call), /Sunday,? 22 November 2026 at 00:30 \(Europe\/Berlin\)/);
});

test("words and keys count as the caller's; the agent's actions and keys do not", () => {
  const silent = [
    item({ role: "agent", text: "Hello?" }),
    item({ type: "tool_call", text: "{}", toolName: "look" }),
    item({ type: "dtmf", text: "5", direction: "sent" }),
    item({ type: "instruction", text: "Be brief." }),
  ];
  assert.equal(hasCallerWords(silent), false);
  assert.equal(hasCallerWords([...silent, item({ role: "user", text: "Hi" })]), true);
  assert.equal(hasCallerWords([...silent, item({ type: "dtmf", text: "5", direction: "received" })]), true);
  assert.deepEqual(unknownResult(FIELDS), {
    extraction: { caller: null, guests: null, isMember: null, meal: null, day: null },
    evaluation: [{ name: "polite", result: "unknown", reason: "The caller said nothing." }],
  });
});

test("a transcript shows words, keys and actions with their speaker, without instructions", () => {
  const transcript = [
    item({ role: "agent", text: "Hello." }),
    item({ role: "user", text: "Hi." }),
    item({ type: "dtmf", text: "42#", direction: "received" }),
    item({ type: "dtmf", text: "1", direction: "sent" }),
    item({ type: "tool_call", toolName: "book", text: '{"day":1}' }),
    item({ type: "tool_result", toolName: "book", text: "full", isError: true }),
    item({ type: "instruction", text: "secret" }),
  ];
  assert.equal(
    renderTranscript(transcript, 1000),
    'Agent: Hello.\nCaller: Hi.\nCaller pressed 42#\nAgent pressed 1\n(The agent called book with {"day":1})\n(book failed: full)',
  );
});

test("of a long call the beginning and end are included, within the limit", () => {
  const transcript = Array.from({ length: 500 }, (_, index) =>
    item({ role: "user", text: `words number ${index} 😀` }),
  );
  const text = renderTranscript(transcript, 2000);
  assert.ok(text.length < 2100);
  assert.ok(text.startsWith("Caller: words number 0 ") && text.endsWith("words number 499 😀"));
  assert.ok(text.isWellFormed());
});

test("any text of a model is read or rejected with a reason, without an exception", () => {
  const random = seededRandom(SEED);
  const text = JSON.stringify(GOOD);
  for (let round = 0; round < 3000; round++) {
    const characters = text.split("");
    for (let change = 0; change <= random() * 6; change++) {
      const index = Math.floor(random() * characters.length);
      characters.splice(index, Math.floor(random() * 5), '{}[]",:0n\\\0'[Math.floor(random() * 11)] ?? "");
    }
    const reading = readAnswer(characters.join(""), FIELDS);
    if (!reading.isValid) assert.ok(reading.problems.length > 0, `seed ${SEED}, round ${round}`);
    else assert.ok(!JSON.stringify(reading.result).includes("\\u0000"), `seed ${SEED}, round ${round}`);
  }
});
