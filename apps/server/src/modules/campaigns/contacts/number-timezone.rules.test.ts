import assert from "node:assert/strict";
import test from "node:test";
import { guessTimezone } from "./number-timezone.rules.ts";

test("a number has the time zone of its area, or of its country if that has one", () => {
  const guesses = {
    "+12125550142": "America/New_York",
    "+14155550199": "America/Los_Angeles",
    "+18085550199": "Pacific/Honolulu",
    "+14165550199": "America/Toronto",
    "+4930123456": "Europe/Berlin",
    "+4915112345678": "Europe/Berlin",
    "+442079460018": "Europe/London",
    "+447400123456": "Europe/London",
    "+33123456789": "Europe/Paris",
    "+919812345678": "Asia/Calcutta",
    "+81312345678": "Asia/Tokyo",
  };
  const found = Object.keys(guesses).map((number) => [number, guessTimezone(number)]);
  assert.deepEqual(Object.fromEntries(found), guesses);
});

test("a number that can be in zones with different clocks has none", () => {
  // Toll-free in North America, southern and western Australia, a satellite.
  for (const number of ["+18005550199", "+61891234567", "+870773111632"])
    assert.equal(guessTimezone(number), undefined, number);
});
