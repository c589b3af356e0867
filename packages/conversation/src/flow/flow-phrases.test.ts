import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowDefinition, IntentName } from "./flow-definition.ts";
import { findIntent } from "./flow-intents.ts";
import { flowPhrases, SpokenPhrase } from "./flow-phrases.ts";
import { wordsOf } from "./flow-text.ts";
import { readByRules } from "./slot-values.ts";

/** What people say: yes, no, a person, goodbye, the question again, and three, eleven and twenty. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  ar: ["نعم!", "لا، شكراً", "خدمة العملاء", "مع السلامة.", "مرة أخرى", "ثلاثة", "أحد عشر", "عشرين"],
  de: [
    "Ja, gerne.",
    "Nein danke.",
    "Mitarbeiter, bitte!",
    "Tschüss!",
    "Wie bitte?",
    "drei",
    "Elf.",
    "zwanzig",
  ],
  en: ["Yes, please.", "No, thanks.", "A real person.", "Good bye!", "Pardon?", "Three.", "eleven", "Twenty"],
  es: [
    "¡Claro que sí!",
    "No, gracias.",
    "Hablar con una persona",
    "Adiós.",
    "¿Puede repetir?",
    "tres",
    "once",
    "veinte",
  ],
  fr: [
    "Oui, s'il vous plaît.",
    "Non, merci.",
    "Un conseiller",
    "Au revoir !",
    "Répétez, s'il vous plaît",
    "trois",
    "onze",
    "vingt",
  ],
  hi: ["जी हाँ", "नहीं, धन्यवाद", "एजेंट", "अलविदा", "फिर से बोलिए", "तीन", "ग्यारह", "बीस"],
  it: [
    "Sì, grazie.",
    "No, grazie.",
    "Un operatore",
    "Arrivederci!",
    "Può ripetere?",
    "tre",
    "undici",
    "venti",
  ],
  ja: [
    "はい、お願いします。",
    "いいえ、結構です。",
    "担当者をお願いします。",
    "失礼します。",
    "もう一度お願いします。",
    "三つ",
    "十一",
    "二十",
  ],
  nl: [
    "Ja, graag.",
    "Nee, bedankt.",
    "Een medewerker graag",
    "Tot ziens!",
    "Wat zegt u?",
    "drie",
    "elf",
    "twintig",
  ],
  pl: [
    "Tak, proszę.",
    "Nie, dziękuję.",
    "Konsultant",
    "Do widzenia!",
    "Jeszcze raz, proszę.",
    "trzy",
    "jedenaście",
    "dwadzieścia",
  ],
  pt: [
    "Sim, por favor.",
    "Não, obrigada.",
    "Falar com um atendente",
    "Até logo!",
    "Pode repetir?",
    "três",
    "onze",
    "vinte",
  ],
  zh: ["好的。", "不用，谢谢。", "转人工", "再见。", "请再说一遍。", "三", "十一", "二十"],
};

const to = { goTo: "end" };
const flow = {
  start: "end",
  nodes: [{ id: "end", type: "end" }],
  slots: [],
  intents: { human: to, goodbye: to, repeat: {} },
} as unknown as FlowDefinition;

for (const [language, answers] of Object.entries(SAID)) {
  const [yes = "", no = "", human = "", goodbye = "", repeat = "", ...numbers] = answers;

  test(`yes, no, numbers and wishes are understood in ${language}`, () => {
    const read = (type: "boolean" | "number", text: string) =>
      readByRules({ name: "x", type }, { text, language: `${language}-XX`, isLenient: false });
    assert.deepEqual([read("boolean", yes), read("boolean", no)], [true, false]);
    assert.deepEqual(
      numbers.map((text) => read("number", text)),
      [3, 11, 20],
    );
    const wishes: readonly (readonly [string, IntentName | undefined])[] = [
      [human, "human"],
      [goodbye, "goodbye"],
      [repeat, "repeat"],
      [`${yes} xyz`, undefined],
    ];
    for (const [text, intent] of wishes)
      assert.equal(findIntent(flow, { text, isKeys: false }, language), intent, text);
  });
}

test("every phrase is written as answers are compared, and has one meaning; each number from 0 to 20 has a word", () => {
  assert.deepEqual(Object.keys(flowPhrases).toSorted(), Object.keys(SAID));
  for (const [language, { numbers, ...phrases }] of Object.entries(flowPhrases)) {
    const values = numbers.split(" ").map((names) => names.replaceAll("_", " ").split("|"));
    assert.equal(values.length, 21, language);
    const all = [...Object.values(phrases), ...values].flat();
    assert.equal(new Set(all).size, all.length, `${language} has a phrase twice`);
    for (const phrase of all) assert.equal(wordsOf(phrase), phrase);
    for (const [value, names] of values.entries())
      for (const name of names) assert.equal(new SpokenPhrase(name, language).number, value, name);
  }
});

test("a language without phrases, and one named like a property of objects, understands none", () => {
  for (const language of ["sv", "constructor", "__proto__", ""]) {
    const phrase = new SpokenPhrase("yes", language);
    assert.deepEqual([phrase.is("yes"), phrase.number], [false, undefined]);
  }
});
