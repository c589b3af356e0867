import assert from "node:assert/strict";
import { test } from "node:test";
import type { SpokenToken } from "../phonemes/pronounce.ts";
import { splitPhrases } from "./phrases.ts";

const limits = { minFirstPhones: 2, minPhones: 4, maxPhones: 6 };

function tokens(text: string): SpokenToken[] {
  return text.split(" ").map((part): SpokenToken => {
    return part === "," || part === "."
      ? { kind: "pause", mark: part }
      : { kind: "word", phones: part.split("") };
  });
}

function phrases(text: string): string[] {
  return splitPhrases(tokens(text), limits).map(({ tokens, mark }) => {
    const words = tokens.map((token) => (token.kind === "word" ? token.phones.join("") : token.mark));
    return `${words.join(" ")} [${mark ?? ""}]`;
  });
}

test("the first phrase may be short; later ones are joined", () => {
  assert.deepEqual(phrases("AB , CD , EF ."), ["AB , [,]", "CD , EF . [.]"]);
});

test("a phrase without a mark ends before it grows too long", () => {
  assert.deepEqual(phrases("ABC DEF GHI"), ["ABC DEF []", "GHI []"]);
});

test("a short remainder is still spoken", () => {
  assert.deepEqual(phrases("A ."), ["A . [.]"]);
  assert.deepEqual(splitPhrases([], limits), []);
});
