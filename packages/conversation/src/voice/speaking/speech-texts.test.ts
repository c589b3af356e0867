import assert from "node:assert/strict";
import { test } from "node:test";
import { backchannelsOf } from "../turns/backchannels.ts";
import { emergencyTexts, hasStandardTexts, standardTexts, textsOf } from "./speech-texts.ts";

const LANGUAGES = ["ar", "de", "en", "es", "fr", "hi", "it", "ja", "nl", "pl", "pt", "zh"];

test("each language has every text, and two filler phrases that differ from those of all others", () => {
  const seen = new Set<string>();
  for (const language of LANGUAGES) {
    assert.ok(hasStandardTexts(language) && backchannelsOf(language).length > 5, language);
    const { fillers, ...texts } = standardTexts(`${language}-XX`);
    for (const [name, text] of Object.entries(texts)) assert.ok(text.length > 2, `${language} ${name}`);
    for (const text of [...fillers, texts.apology]) seen.add(text);
  }
  assert.equal(seen.size, 3 * LANGUAGES.length);
  assert.equal(hasStandardTexts("tlh"), false);
  assert.equal(standardTexts("tlh"), standardTexts("en"));
  assert.deepEqual(backchannelsOf("tlh"), []);
});

test("an agent's own phrases replace those of its language, one by one", () => {
  const phrases = { fillers: ["Ich schaue nach."], apology: "Leider gestört." };
  const german = standardTexts("de");
  assert.deepEqual(textsOf({ language: "de", phrases }), { ...german, ...phrases });
  assert.deepEqual(emergencyTexts("de", phrases), ["Ich schaue nach.", german.noAnswer, "Leider gestört."]);
});
