import assert from "node:assert/strict";
import { test } from "node:test";
import { findWords } from "./words.ts";

test("a word of a comment or a page that has a plainer form is reported with its line and what to write", () => {
  assert.deepEqual(findWords("a.ts", "const a = 1;\n/** Rejects calls that nobody answers. */\n"), [
    'a.ts:2: "nobody": write instead: name who it is, or state the condition',
  ]);
  assert.deepEqual(findWords("a.md", "# A page\n\nThe behaviour\nof a codec, whatever it is.\n"), [
    'a.md:3: "behaviour": write instead: American spelling',
    'a.md:4: "whatever": write instead: "regardless of", "any"',
  ]);
});

test("code, quoted text and strings may contain any word", () => {
  const source = 'const nobody = "elsewhere"; // named `whoever` or "whatever"\n';
  assert.deepEqual(findWords("a.ts", source), []);
  assert.deepEqual(findWords("a.md", "The caller says “whatever”.\n\n```sh\ncd elsewhere\n```\n"), []);
});
