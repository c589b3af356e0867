import assert from "node:assert/strict";
import { test } from "node:test";
import { explainAnswer } from "./widget-error.ts";

test("answers are told apart by what the visitor can do", () => {
  const codeOf = (status: number, path = "") => explainAnswer(path, status, null, "").code;
  assert.deepEqual(
    [402, 403, 404, 429, 503, 500, 400].map((status) => codeOf(status)),
    ["not_available", "page_not_allowed", "not_available", "limit_reached", "busy", "busy", "refused"],
  );
  assert.equal(codeOf(429, "/chat/messages"), "message_limit_reached");
});

test("a time to wait is read from Retry-After", () => {
  const waitOf = (header: string | null) => explainAnswer("", 429, header, "").retryAfterSeconds;
  assert.equal(waitOf("86400"), 86_400);
  for (const unusable of [null, "", "soon", "-1", "0", "Infinity"]) assert.equal(waitOf(unusable), undefined);
});
