import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeText } from "./normalize.ts";

const cases: Record<string, Record<string, string>> = {
  "numbers are written out": {
    "1,000,000 people": "one million people",
    "I'd say 0.5 or .75": "I'd say zero point five or zero point seven five",
    "order 00123": "order zero zero one two three",
    "Room #4": "Room number four",
    "minus -3 now": "minus minus three now",
    "the 4th, 21st and 12th": "the fourth, twenty first and twelfth",
    "a 3/4 cup, 2 1/2 lbs": "a three quarters cup, two and a half pounds",
  },
  "years and decades are said in pairs": {
    "in 1999": "in nineteen ninety nine",
    "since 2005": "since two thousand five",
    "by 2026": "by twenty twenty six",
    "in 1900": "in nineteen hundred",
    "in 1907": "in nineteen oh seven",
    "the 1990s": "the nineteen nineties",
  },
  "money is said with its currency after it": {
    "It's $12.50": "It's twelve dollars and fifty cents",
    "only $1": "only one dollar",
    "$0.99": "ninety nine cents",
    "£1.2m": "one point two million pounds",
    "€1,299": "one thousand two hundred ninety nine euros",
    "$3 billion": "three billion dollars",
  },
  "percentages, measures and temperatures are said in full": {
    "5% off": "five percent off",
    "It weighs 5 kg and is 3ft tall.": "It weighs five kilograms and is three feet tall.",
    "1 km": "one kilometer",
    "500MB": "five hundred megabytes",
    "-5°C or 70°F": "minus five degrees Celsius or seventy degrees Fahrenheit",
  },
  "dates are said in the American order": {
    "on 2026-11-21": "on November twenty first, twenty twenty six",
    "12/25/2026": "December twenty fifth, twenty twenty six",
    "Nov 3rd, 2026": "November third, twenty twenty six",
    "Jan. 5 works": "January fifth works",
    "3 March": "March third",
    "May 2027": "May twenty twenty seven",
  },
  "times are said by the clock": {
    "at 9:05 a.m. sharp": "at nine oh five A M sharp",
    "at 10:00": "at ten o'clock",
    "at 14:30.": "at fourteen thirty.",
    "We're open 9am–5pm.": "We're open nine A M to five P M.",
    "at 3 p.m. We close then.": "at three P M. We close then.",
  },
  "telephone numbers are said digit by digit in their groups": {
    "+1 (555) 010-4477": "plus one, five five five, zero one zero, four four seven seven",
    "555-0199": "five five five, zero one nine nine",
    "5550104477": "five five five, zero one zero, four four seven seven",
  },
  "ranges are said with to": {
    "2-3 days": "two to three days",
    "Mon–Fri": "Monday to Friday",
  },
  "abbreviations are said in full": {
    "Dr. Smith lives at 12 Main St. near St. Mary's.":
      "Doctor Smith lives at twelve Main Street near Saint Mary's.",
    "Mr. and Mrs. Lee": "mister and missus Lee",
    "fruit, e.g. apples": "fruit, for example, apples",
    "Tue. at noon": "Tuesday at noon",
  },
  "initials are spelled and words in capitals are not": {
    "The FBI and NASA": "The F B I and nasa",
    "the U.S. is": "the U S is",
    "an MP3": "an M P three",
    "your code is AB12CD": "your code is A B one two C D",
    "ARE YOU SERIOUS": "are you serious",
    "it is NOT free": "it is not free",
    "A dentist, plan A": "a dentist, plan A",
    OK: "okay",
  },
  "addresses can be read back": {
    "info@acme.com": "info at acme dot com",
    "https://www.acme.io/faq.": "W W W dot acme dot I O slash faq.",
    "j.doe-2@mail.co.uk": "j dot doe dash two at mail dot co dot U K",
  },
  "markup, emoji and symbols leave no trace or a word": {
    "**Hello**, _world_! 😀": "Hello, world!",
    "See [our site](https://x.com).": "See our site.",
    "Tom & Jerry": "Tom and Jerry",
    "and/or": "and or",
    "wait... what — really?": "wait… what — really?",
  },
};

for (const [name, table] of Object.entries(cases)) {
  test(name, () => {
    const spoken = Object.fromEntries(Object.keys(table).map((text) => [text, normalizeText(text)]));
    assert.deepEqual(spoken, table);
  });
}

test("any bytes result in words or in nothing", () => {
  for (const text of [
    "",
    "   ",
    "?!…",
    "\u{0}\u{ffff}",
    "9".repeat(400),
    "$",
    "#",
    "1/0",
    "25:99",
    "日本語",
  ]) {
    assert.equal(typeof normalizeText(text), "string", JSON.stringify(text));
  }
});
