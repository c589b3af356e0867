import assert from "node:assert/strict";
import { test } from "node:test";
import { diffFields } from "./field-diff.rules.ts";
import { diffTexts } from "./text-diff.rules.ts";

test("short values are shown before and after, with their units", () => {
  assert.deepEqual(
    diffFields(
      { turnTimeoutSeconds: 10, recordingEnabled: true, name: "Desk", voiceId: null },
      { turnTimeoutSeconds: 12, recordingEnabled: false, name: "Desk", voiceId: "local/ada" },
    ),
    [
      { path: ["Turn timeout"], change: { kind: "value", before: "10 seconds", after: "12 seconds" } },
      { path: ["Recording enabled"], change: { kind: "value", before: "on", after: "off" } },
      { path: ["Voice ID"], change: { kind: "value", before: "", after: "local/ada" } },
    ],
  );
});

test("maps are compared by key in any order, tools by name, and times of changes are ignored", () => {
  const before = {
    runtimeConfig: { a: 1, bigValue: { x: true } },
    defaultVariables: { shopName: "Miller" },
    customTools: [{ id: "1", name: "look_up", timeoutMs: 1000, updatedAt: "then" }],
  };
  const after = {
    defaultVariables: { shopName: "Smith" },
    customTools: [{ id: "1", name: "look_up", timeoutMs: 2000, updatedAt: "now" }],
    runtimeConfig: { bigValue: { x: false }, a: 1 },
  };
  assert.deepEqual(
    diffFields(before, after).map(({ path }) => path.join(" › ")),
    ["Runtime config › Big value › X", "Default variables › shopName", "Custom tools › look_up › Timeout"],
  );
  assert.deepEqual(diffFields(before, after, ["runtimeConfig", "customTools", "defaultVariables"]), []);
});

test("a changed line is compared by word, and unchanged lines far from it are counted", () => {
  const lines = ["one", "two", "three", "four", "We open at nine.", "six", "seven", "eight", "nine"];
  const after = lines.map((line) => line.replace("at nine", "at ten"));
  assert.deepEqual(
    diffTexts(lines.join("\n"), after.join("\n")).map((line) =>
      line.kind === "skipped"
        ? `… ${line.count}`
        : `${line.kind} ${line.words.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join("")}`,
    ),
    [
      "… 2",
      "same three",
      "same four",
      "removed We open at [nine].",
      "added We open at [ten].",
      "same six",
      "same seven",
      "… 2",
    ],
  );
});

test("a text that was empty is added, and lines with nothing in common are replaced as a whole", () => {
  assert.deepEqual(diffTexts("", "Hello."), [
    { kind: "added", words: [{ text: "Hello.", isChanged: false }] },
  ]);
  assert.deepEqual(diffTexts("Hello.", "Quite another text\n"), [
    { kind: "removed", words: [{ text: "Hello.", isChanged: false }] },
    { kind: "added", words: [{ text: "Quite another text", isChanged: false }] },
    { kind: "added", words: [{ text: "", isChanged: false }] },
  ]);
});
