import assert from "node:assert/strict";
import { test } from "node:test";
import { dittliInput } from "./symbols.ts";

test("symbols are separated by blanks, with the stress of vowels as their tone", () => {
  const metadata = { languageId: 2, toneOffset: 7, symbols: ["_", "V", "ow", ",", "UNK"] };
  const input = dittliInput(
    [
      { kind: "word", phones: ["V", "OW1"] },
      { kind: "pause", mark: "—" },
      { kind: "word", phones: ["QQ"] },
    ],
    metadata,
  );
  assert.deepEqual(input.symbols, [0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0]);
  assert.deepEqual(input.tones, [0, 7, 0, 7, 0, 9, 0, 7, 0, 7, 0, 7, 0]);
  assert.deepEqual(input.languages, [0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0]);
});
