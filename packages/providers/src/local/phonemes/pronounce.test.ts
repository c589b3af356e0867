import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadLexicon, type Lexicon } from "./lexicon.ts";
import { pronounceText } from "./pronounce.ts";

let lexicon: Lexicon;
before(async () => {
  lexicon = await loadLexicon();
});

function spoken(text: string): string {
  return pronounceText(text, lexicon)
    .map((token) => (token.kind === "word" ? token.phones.join(" ") : token.mark))
    .join(" | ");
}

test("function words are weak within a phrase and strong at its end", () => {
  assert.equal(spoken("I can help."), "AY2 | K AE0 N | HH EH1 L P | .");
  assert.equal(spoken("Yes, you can."), "Y EH1 S | , | Y UW0 | K AE1 N | .");
});

test('"the" and "to" change before vowels', () => {
  assert.equal(spoken("the apple"), "DH IY0 | AE1 P AH0 L");
  assert.equal(spoken("the left"), "DH AH0 | L EH1 F T");
  assert.equal(spoken("to open"), "T UH0 | OW1 P AH0 N");
  assert.equal(spoken("to go"), "T AH0 | G OW1");
});

test("words with two pronunciations depend on the previous word", () => {
  assert.equal(spoken("record"), "R EH1 K ER0 D");
  assert.equal(spoken("to record"), "T AH0 | R AH0 K AO1 R D");
  assert.equal(spoken("we close"), "W IY2 | K L OW1 Z");
  assert.equal(spoken("very close"), "V EH1 R IY0 | K L OW1 S");
});

test("endings are added to words of the dictionary", () => {
  assert.equal(spoken("Parley's"), "P AA1 R L IY0 Z");
  assert.equal(spoken("checkups"), "CH EH1 K AH2 P S");
  assert.equal(spoken("rescheduling"), "R IY0 S K EH1 JH UW0 L IH0 NG");
});

test("words that are in no dictionary are pronounced, with a stress", () => {
  for (const word of ["blockchain", "zyxwright", "siobhan", "kubernetes", "frobnicate"]) {
    const [token] = pronounceText(word, lexicon);
    assert.ok(token?.kind === "word", word);
    assert.ok(
      token.phones.some((phone) => phone.endsWith("1")),
      `${word} ${token.phones.join(" ")}`,
    );
  }
});

test("initials and words without a vowel are spelled", () => {
  assert.equal(spoken("FBI"), "EH1 F | B IY1 | AY1");
  assert.equal(spoken("xkcd"), "EH2 K S K EY2 S IY2 D IY1");
});

test("marks at the start or doubled have no more effect than one", () => {
  assert.equal(spoken("… yes!? no"), "Y EH1 S | ! | N OW1");
});

test("a text with nothing to pronounce results in nothing", () => {
  assert.deepEqual(pronounceText("*** 😀 —", lexicon), []);
});
