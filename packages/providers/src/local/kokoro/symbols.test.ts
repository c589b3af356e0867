import assert from "node:assert/strict";
import { test } from "node:test";
import { kokoroIds, kokoroSymbols, wordSymbols } from "./symbols.ts";

test("words are written in Kokoro's symbols with the stress mark before the vowel", () => {
  const words: Record<string, string> = {
    "OW1 P AH0 N": "ˈOpᵊn",
    "W AO1 T ER0": "wˈɔTəɹ",
    "S ER1 T AH0 N": "sˈɜɹtᵊn",
    "HH AW1 Z IH0 Z": "hˈWzᵻz",
    "W EY1 T IH0 D": "wˈATᵻd",
    "JH AH1 M P": "ʤˈʌmp",
    "CH EH1 K AH2 P": "ʧˈɛkˌʌp",
    "DH AH0": "ðə",
  };
  const written = Object.fromEntries(
    Object.keys(words).map((phones) => [phones, wordSymbols(phones.split(" "))]),
  );
  assert.deepEqual(written, words);
});

test("words are separated by spaces and marks follow their word", () => {
  const line = kokoroSymbols([
    { kind: "word", phones: ["Y", "EH1", "S"] },
    { kind: "pause", mark: "," },
    { kind: "word", phones: ["N", "OW1"] },
    { kind: "pause", mark: "." },
  ]);
  assert.equal(line, "jˈɛs, nˈO.");
  assert.equal(kokoroIds(line).length, line.length);
});
