import assert from "node:assert/strict";
import { test } from "node:test";
import { type BriefingDecision, readDecision } from "./briefing-decision.ts";
import { briefingTexts } from "./briefing-texts.ts";

const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh", "hi", "ar"];

test("an answer is read in its language, and one with both decisions is none", () => {
  const cases: [string, string, BriefingDecision | undefined][] = [
    ["Yes.", "en", "accept"],
    ["Yeah, put them through!", "en-US", "accept"],
    ["No problem.", "en", "accept"],
    ["No.", "en", "refuse"],
    ["Sorry, I can't right now", "en", "refuse"],
    ["Yes, but not now", "en", undefined],
    ["Who is it?", "en", undefined],
    ["I know him", "en", undefined],
    ["", "en", undefined],
    ["Ja, gerne", "de-DE", "accept"],
    ["Nein danke", "de", "refuse"],
    ["Ja nein", "de", undefined],
    ["Oui, d'accord", "fr", "accept"],
    ["Ahora no", "es", "refuse"],
    ["はい、お願いします", "ja", "accept"],
    ["不用", "zh", "refuse"],
    ["yes", "fi", undefined],
    ["yes", "constructor", undefined],
  ];
  for (const [text, language, expected] of cases) assert.equal(readDecision(text, language), expected, text);
});

test("our own question, heard as an echo, decides nothing in any language", () => {
  for (const language of LANGUAGES)
    assert.equal(readDecision(briefingTexts(language).question, language), undefined, language);
});
