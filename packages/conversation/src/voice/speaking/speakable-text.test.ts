import assert from "node:assert/strict";
import { test } from "node:test";
import { isSpeakable, speakableText } from "./speakable-text.ts";

const cases: [written: string, spoken: string][] = [
  ["**Really** _good_ and `simple`.", "Really good and simple."],
  ["## Opening hours", "Opening hours"],
  ["- Monday\n- Tuesday", "Monday Tuesday"],
  ["See [our site](https://example.com/a?b=c) for it.", "See our site for it."],
  ["Go to https://www.example.com/help.", "Go to example.com/help."],
  ["Great! 🎉👍🏽", "Great!"],
  ["5 * 3 = 15", "5 * 3 = 15"],
  ["snake_case stays, __strong__ goes", "snake_case stays, strong goes"],
  ["© 2026, 100 % of it", "© 2026, 100 % of it"],
  ["**", ""],
  ["It is 5 o'clock — really.", "It is 5 o'clock — really."],
  ["too   much\n space", "too much space"],
];

for (const [written, spoken] of cases) {
  test(`${JSON.stringify(written)} is spoken as ${JSON.stringify(spoken)}`, () => {
    assert.equal(speakableText(written), spoken);
  });
}

test("punctuation alone is not speakable; words of any script are", () => {
  assert.equal(isSpeakable("... !"), false);
  assert.equal(isSpeakable("はい"), true);
  assert.equal(isSpeakable("5"), true);
});
