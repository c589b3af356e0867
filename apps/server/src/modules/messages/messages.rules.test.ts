import assert from "node:assert/strict";
import { test } from "node:test";
import { isProgress, isTemporary, nextAttempt, splitText, toStatus } from "./messages.rules.ts";

test("a short text is one part, and an empty one none", () => {
  assert.deepEqual(splitText(" Hello. "), ["Hello."]);
  assert.deepEqual(splitText(" \n "), []);
});

test("a long text is divided at paragraphs, else at sentences, else at words", () => {
  assert.deepEqual(splitText("One two three.\n\nFour five.", 20), ["One two three.", "Four five."]);
  assert.deepEqual(splitText("One two three. Four five six.", 20), ["One two three.", "Four five six."]);
  assert.deepEqual(splitText("one two three four five", 12), ["one two", "three four", "five"]);
});

test("parts have at most the limit, lose nothing but spaces, and separate no character", () => {
  const text = `${"äöü 😀😀 ".repeat(700)}${"😀".repeat(2000)}`;
  const parts = splitText(text);
  for (const part of parts) assert.ok(part.length <= 1600 && part.isWellFormed());
  assert.equal(parts.join("").replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
});

test("statuses of the provider are ours, and unknown ones say nothing", () => {
  const known = {
    accepted: "queued",
    sending: "queued",
    sent: "sent",
    read: "delivered",
    undelivered: "failed",
  };
  for (const [theirs, ours] of Object.entries(known)) assert.equal(toStatus(theirs), ours);
  assert.equal(toStatus("receiving"), undefined);
});

test("reports out of order and repeated ones change nothing", () => {
  assert.ok(
    isProgress("queued", "sent") && isProgress("queued", "delivered") && isProgress("sent", "failed"),
  );
  for (const [before, reported] of [
    ["sent", "queued"],
    ["delivered", "sent"],
    ["delivered", "failed"],
    ["failed", "delivered"],
    ["sent", "sent"],
  ] as const)
    assert.ok(!isProgress(before, reported), `${before} ${reported}`);
});

test("only errors that the provider calls temporary are retried, at growing intervals, a limited number of times", () => {
  assert.ok(isTemporary(30001) && isTemporary(20429));
  for (const code of [20003, 21610, 30003, 30007, null, undefined]) assert.ok(!isTemporary(code));
  const now = new Date(0);
  const delays = [1, 2, 3, 4, 5, 6].map((attempts) => nextAttempt(attempts, now)?.getTime());
  assert.deepEqual(delays, [5_000, 15_000, 60_000, 300_000, 900_000, undefined]);
});
