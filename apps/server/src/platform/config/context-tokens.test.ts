import assert from "node:assert/strict";
import test from "node:test";
import { findContextTokens, parseContextTokens } from "./context-tokens.ts";

test("the window follows from the model's name", () => {
  const windows = {
    "gpt-4o-mini": 128_000,
    "gpt-4": 8_192,
    "gpt-4-0613": 8_192,
    "gpt-4.1-nano": 1_000_000,
    "llama3.2:3b": 128_000,
    "meta-llama/Meta-Llama-3-8B-Instruct": 8_192,
    "meta-llama/Llama-3.1-8B-Instruct": 128_000,
    "qwen2.5:7b-instruct": 32_768,
    "my-own-model": 32_768,
  };
  for (const [model, tokens] of Object.entries(windows))
    assert.equal(findContextTokens(model, undefined), tokens, model);
});

test("the operator's value counts first: that of the model, then that of all others", () => {
  const setting = parseContextTokens("4096, llama3.2:3b=16384,org/a=b=2048");
  assert.equal(findContextTokens("llama3.2:3b", setting), 16_384);
  assert.equal(findContextTokens("org/a=b", setting), 2_048);
  assert.equal(findContextTokens("gpt-4o", setting), 4_096);
  assert.equal(findContextTokens("gpt-4o", parseContextTokens("x=2048")), 128_000);
});

test("a value that is no number of tokens is refused with what was wrong", () => {
  for (const text of ["many", "100", "m=", "8k", "4096,", "1e9", "99999999999"])
    assert.throws(() => parseContextTokens(text), /must be a number of tokens from 1024/, text);
});
