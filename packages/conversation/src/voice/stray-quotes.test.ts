import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutStrayQuotes } from "./stray-quotes.ts";

test("quotation marks without a partner and around the whole text are removed; others stay", () => {
  for (const [text, expected] of [
    ['"We are open.', "We are open."],
    ['We are open."', "We are open."],
    ['"We are open until six."', "We are open until six."],
    ["“Yes.”", "Yes."],
    ["„Ja.“", "Ja."],
    ["« Oui. »", "Oui."],
    ['"', ""],
    [' "" ', ""],
    ['Say "open sesame" now.', 'Say "open sesame" now.'],
    ['"Open" or "closed"', '"Open" or "closed"'],
    ['Say "open" and "sesa', 'Say "open" and sesa'],
    ['A 6" pipe 😀', "A 6 pipe 😀"],
    ["It's the boys' turn.", "It's the boys' turn."],
  ] as const)
    assert.equal(withoutStrayQuotes(text), expected, text);
});
