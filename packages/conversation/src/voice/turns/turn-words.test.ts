import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyEnding, openEndingProbability, type TurnEnding } from "./turn-words.ts";

function endings(agentText: string, texts: Readonly<Record<string, TurnEnding>>, language = "en-GB"): void {
  for (const [text, ending] of Object.entries(texts)) {
    assert.equal(classifyEnding(text, { language, agentText }), ending, text);
  }
}

test("a sentence that breaks off is unfinished, even if the recognizer adds a full stop", () => {
  endings("", {
    "I would like to book a table for.": "unfinished",
    "It is on Monday, and": "unfinished",
    "My name is": "unfinished",
    "So, uh,": "unfinished",
    "Could you please send the?": "unfinished",
    "I would like to book a table.": "statement",
  });
});

test("some words are mostly followed by others and sometimes end a sentence", () => {
  endings("", {
    "I need it by": "trailing",
    "No, I can't do that.": "trailing",
    "I would like to move it to the day after.": "trailing",
  });
});

test("alternatives of the last word count in proportion to their probability", () => {
  const context = { language: "en", agentText: "" };
  const choices = [
    { text: "full", probability: 0.6 },
    { text: "for", probability: 0.2 },
    { text: "", probability: 0.1 },
  ];
  const shareOf = (text: string): number => {
    const share = openEndingProbability({ text, certainty: { confidence: 0.9, lastWord: choices } }, context);
    return Math.round(share * 100) / 100;
  };
  assert.equal(shareOf("I would like to book a table full."), 0.2);
  assert.equal(shareOf("I was there with full."), 0.3);
  assert.equal(openEndingProbability({ text: "a table for" }, context), 1);
  assert.equal(openEndingProbability({ text: "I would like a table" }, context), 0);
});

test("a question may end in a word that no statement ends in", () => {
  endings("", {
    "What do you need it for?": "question",
    "When does the shop close?": "question",
    "Can I park behind the building?": "question",
  });
});

test("one or two words are a whole answer only after a question of the agent", () => {
  endings("Would you like to book it?", { Yes: "answer", "No, thank you.": "closed", "At nine": "answer" });
  endings("I have booked it.", { Tuesday: "fragment" });
});

test("a number being read out continues until it has a usual number of digits", () => {
  endings("", {
    "My number is five five five": "number",
    "555 236": "number",
    "555-236-7891": "wholeNumber",
    "zero two zero seven nine four six zero nine five eight": "wholeNumber",
    "I have two": "statement",
  });
  endings("What is your phone number?", {
    "double seven": "number",
    "It is four": "number",
    "One fool": "number",
  });
});

test("a thank-you closes the turn", () => {
  endings("", { "That sounds very good, thank you.": "closed", "I'd like the blue one, please": "closed" });
});

test("words of other languages are not interpreted", () => {
  endings("", { "Ich möchte einen Tisch für": "unknown" }, "de");
});

test("numbers are recognized in the other languages with phrases, and nothing else there", () => {
  const dictated: Readonly<
    Record<string, readonly [request: string, part: string, whole: string, other: string]>
  > = {
    ar: ["ما هو رقم هاتفك؟", "خمسة ستة سبعة", "٠١٢ ٣٤٥ ٦٧٨٩", "أود أن أحجز طاولة لهذا المساء من فضلك"],
    de: [
      "Wie ist Ihre Telefonnummer?",
      "null drei null",
      "030 123 45 67",
      "Ich möchte für heute Abend einen Tisch reservieren",
    ],
    es: [
      "¿Cuál es su número?",
      "nueve uno dos",
      "91 234 56 780",
      "Quisiera reservar una mesa para esta noche por favor",
    ],
    fr: [
      "Quel est votre numéro ?",
      "zéro six douze",
      "06 12 34 56 78",
      "Je voudrais réserver une table pour ce soir",
    ],
    hi: ["आपका नंबर क्या है?", "नौ आठ सात", "98765 43210", "मैं आज शाम के लिए एक टेबल बुक करना चाहता हूँ"],
    it: [
      "Qual è il suo numero?",
      "tre tre cinque",
      "335 123 45 67",
      "Vorrei prenotare un tavolo per questa sera per favore",
    ],
    ja: [
      "電話番号を教えてください。",
      "〇九〇",
      "〇九〇一二三四五六七八",
      "今晩の予約をお願いします そして 席は 窓側が いいです ね はい",
    ],
    nl: [
      "Wat is uw telefoonnummer?",
      "nul zes twaalf",
      "06 12 34 56 78",
      "Ik wil graag een tafel reserveren voor vanavond",
    ],
    pl: [
      "Jaki jest numer telefonu?",
      "pięć zero jeden",
      "48 501 234 567",
      "Chciałbym zarezerwować stolik na dzisiejszy wieczór proszę",
    ],
    pt: [
      "Qual é o seu número?",
      "nove um dois",
      "11 91234 5678",
      "Gostaria de reservar uma mesa para hoje à noite",
    ],
    zh: ["您的电话号码是多少？", "一三八", "一三八零零一三八零零零", "我想 预订 今天 晚上 的 一张 桌子 谢谢"],
  };
  for (const [language, [request, part, whole, other]] of Object.entries(dictated)) {
    endings(request, { [part]: "number", [whole]: "wholeNumber", [other]: "unknown" }, language);
    endings("", { [part]: "number", [whole]: "wholeNumber" }, language);
  }
  endings("Mikä numero?", { "nolla neljä": "unknown" }, "fi");
});
