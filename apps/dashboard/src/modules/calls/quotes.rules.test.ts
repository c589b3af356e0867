import assert from "node:assert/strict";
import { test } from "node:test";
import { splitByQuotes } from "./quotes.rules.ts";

const marked = (text: string, quotes: readonly string[]): string =>
  splitByQuotes(text, quotes)
    .map(({ words, isQuoted }) => (isQuoted ? `[${words}]` : words))
    .join("");

test("quotes are found whatever their spaces and case, and special characters are plain", () => {
  assert.equal(
    marked("Your order (no. 12) has\nbeen shipped.", ["has been SHIPPED", "(no. 12)"]),
    "Your order [(no. 12)] [has\nbeen shipped].",
  );
  assert.equal(marked("Hello", [""]), "Hello");
  assert.equal(marked("Hello", ["good bye"]), "Hello");
  assert.equal(marked("a long quote", ["a", "a long quote"]), "[a long quote]");
});
