import assert from "node:assert/strict";
import { test } from "node:test";
import { explainEnd, isOrdinaryEnd } from "./end-reasons.ts";

test("the reason of an end is a sentence, with what is known of it", () => {
  assert.equal(explainEnd({ reason: "agent_hangup", detail: null }), "The agent hung up.");
  assert.equal(
    explainEnd({ reason: "error_llm", detail: "401 Unauthorized" }),
    "The language model failed. 401 Unauthorized",
  );
});

test("failures are told from ends as usual", () => {
  assert.equal(isOrdinaryEnd({ reason: "user_hangup", detail: null }), true);
  assert.equal(isOrdinaryEnd({ reason: "connection_lost", detail: null }), false);
});
