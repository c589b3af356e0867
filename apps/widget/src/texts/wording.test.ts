import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { explainAnswer, WidgetError } from "../api/widget-error.ts";
import { WIDGET_LANGUAGES } from "@parley/contract";
import { describeProblem } from "./problems.ts";
import { describeWait, english, fill, findLanguage, languages, loadWording, type Texts } from "./wording.ts";

const placeholdersOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();
const NOW = new Date("2026-11-23T14:40:00");

test("every language has every text, in its own words and with the placeholders of the English one", async () => {
  assert.deepEqual(languages, WIDGET_LANGUAGES);
  const names = Object.keys(english.texts) as (keyof Texts)[];
  for (const language of languages) {
    const { language: loaded, texts } = await loadWording(language);
    assert.equal(loaded, language);
    assert.deepEqual(Object.keys(texts), names, language);
    for (const name of names)
      assert.deepEqual(
        placeholdersOf(texts[name]),
        placeholdersOf(english.texts[name]),
        `${language}: ${name}`,
      );
    const same = names.filter((name) => texts[name] === english.texts[name]);
    // Words that are spelled alike, such as “Messages” in French.
    if (language !== "en") assert.ok(same.length <= 2, `${language}: ${same.join()}`);
  }
});

test("every file of texts is a language", async () => {
  const files = (await readdir(import.meta.dirname)).filter((name) => /^[a-z]{2}\.ts$/.test(name));
  assert.deepEqual(files.map((name) => name.slice(0, 2)).toSorted(), languages);
});

test("a tag finds its language, whatever its region, script and case", () => {
  assert.deepEqual(["de", "de-AT", "PT_br", "zh-Hant-TW", " ar ", "en-GB"].map(findLanguage), [
    "de",
    "de",
    "pt",
    "zh",
    "ar",
    "en",
  ]);
  for (const unknown of ["", "tlh", "deutsch", "constructor", "-de"])
    assert.equal(findLanguage(unknown), undefined);
});

test("a limit says in words when it ends", async () => {
  const wait = (seconds: number | undefined) => describeWait(seconds, english, NOW);
  assert.equal(wait(12), "in 12 seconds");
  assert.equal(wait(91), "in 2 minutes");
  assert.equal(wait(86_400).replaceAll(/\s/g, " "), "in 24 hours (Tue 2:40 PM)");
  assert.equal(wait(undefined), "later");
  const german = await loadWording("de");
  const limit = explainAnswer("/chat/messages", 429, "300", "");
  assert.deepEqual(describeProblem(limit, german, NOW), {
    code: "message_limit_reached",
    message: "Sie haben die Höchstzahl an Nachrichten erreicht. Sie können in 5 Minuten wieder schreiben.",
  });
});

test("a failure of an unknown kind has words too", () => {
  for (const unknown of [new Error("x"), Object.assign(new Error("x"), { code: "newer" }), "x", undefined])
    assert.equal(describeProblem(unknown, english).message, english.texts.refused);
  assert.equal(describeProblem(new WidgetError("offline"), english).message, english.texts.offline);
});

test("names with the form of placeholders stay as they are", () => {
  assert.equal(fill("Chat with {name}", { name: "{when} $&" }), "Chat with {when} $&");
  assert.equal(fill("{missing}", {}), "{missing}");
});
