import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseSpeechFit } from "@parley/providers/fit";
import { LocalSpeechPlaces } from "./local-speech-places.ts";

const LOCAL = {
  speechToText: { provider: "local" },
  textToSpeech: { provider: "local" },
  providerAccess: {},
  maxLocalCalls: undefined,
} as const;
const VENDORS = {
  speechToText: { provider: "deepgram" },
  textToSpeech: { provider: "elevenlabs" },
  providerAccess: { elevenlabs: { baseUrl: "https://voices.example", apiKey: "key" } },
  maxLocalCalls: undefined,
} as const;
const fit = chooseSpeechFit({ "moonshine-base": 0.09, "kokoro-1": 0.57, "kokoro-2": 0.34, dittli: 0.04 }, 2);

function takeAll(places: LocalSpeechPlaces, voiceId: string): Disposable[] {
  const taken: Disposable[] = [];
  for (
    let place = places.take(voiceId);
    place !== undefined && taken.length < 100;
    place = places.take(voiceId)
  )
    taken.push(place);
  return taken;
}

test("calls take places until none is left, and release them once", () => {
  const places = new LocalSpeechPlaces(LOCAL);
  places.useFit(fit);
  const taken = takeAll(places, "");
  assert.equal(taken.length, 4);
  assert.deepEqual([places.taken, places.free, places.hasPlaceFor("")], [4, 0, false]);
  for (let again = 0; again < 2; again += 1) taken[0]?.[Symbol.dispose]();
  assert.deepEqual([places.taken, places.free], [3, 1]);
});

test("each change of their number is reported once", () => {
  const counts: number[] = [];
  const places = new LocalSpeechPlaces(LOCAL, (count) => counts.push(count));
  const [first, second] = [places.take(""), places.take("")];
  for (let again = 0; again < 2; again += 1) first?.[Symbol.dispose]();
  second?.[Symbol.dispose]();
  assert.deepEqual(counts, [1, 2, 1, 0]);
});

test("a call with the fast voice takes a smaller share", () => {
  const places = new LocalSpeechPlaces(LOCAL);
  places.useFit(fit);
  assert.equal(takeAll(places, "dittli/male").length, 18);
  assert.equal(places.hasPlaceFor(""), false);
});

test("the operator's number of calls takes precedence", () => {
  const places = new LocalSpeechPlaces({ ...LOCAL, maxLocalCalls: 7 });
  places.useFit(fit);
  assert.equal(takeAll(places, "").length, 7);
  assert.equal(places.hasPlaceFor("dittli/male"), false);
});

test("calls with vendors' speech take no place, a call with a local voice does", () => {
  const places = new LocalSpeechPlaces(VENDORS);
  places.useFit(fit);
  for (const voiceId of ["", "elevenlabs/rachel"]) assert.equal(takeAll(places, voiceId).length, 100);
  assert.deepEqual([places.taken, places.free], [0, Infinity]);
  assert.equal(takeAll(places, "kokoro/af_heart").length, 5);
  assert.equal(places.hasPlaceFor("elevenlabs/rachel"), true);
});

test("a machine that is too slow for any call accepts one", () => {
  const places = new LocalSpeechPlaces(LOCAL);
  places.useFit(chooseSpeechFit({ "moonshine-base": 3, "kokoro-1": 9, dittli: 2 }, 1));
  assert.equal(takeAll(places, "kokoro/af_heart").length, 1);
});

function takeTests(places: LocalSpeechPlaces, voiceIds: readonly string[]): Disposable[] {
  const taken: Disposable[] = [];
  for (
    let both = places.takeForTest(voiceIds);
    both !== undefined && taken.length < 100;
    both = places.takeForTest(voiceIds)
  )
    taken.push(both);
  return taken;
}

test("both sides of a test call get places or neither, and weigh as two calls of people each", () => {
  const places = new LocalSpeechPlaces(LOCAL);
  places.useFit(fit);
  const tests = takeTests(places, ["", "dittli/male"]);
  assert.deepEqual([tests.length, places.taken, places.hasPlacesForTest(["", ""])], [1, 2, false]);
  assert.equal(places.hasPlaceFor(""), true);
  tests[0]?.[Symbol.dispose]();
  tests[0]?.[Symbol.dispose]();
  assert.deepEqual([places.taken, places.free], [0, 4]);
  const people = takeAll(places, "").slice(0, 2);
  assert.equal(places.takeForTest(["", ""]), undefined);
  assert.equal(people.length, 2);
});

test("a machine that is too slow for any call holds one test, unless the operator forbids calls", () => {
  const slow = chooseSpeechFit({ "moonshine-base": 3, "kokoro-1": 9, dittli: 2 }, 1);
  for (const [maxLocalCalls, tests] of [
    [undefined, 1],
    [0, 0],
    [1, 1],
    [5, 2],
  ] as const) {
    const places = new LocalSpeechPlaces({ ...LOCAL, maxLocalCalls });
    places.useFit(slow);
    assert.equal(takeTests(places, ["", ""]).length, tests, String(maxLocalCalls));
  }
});
