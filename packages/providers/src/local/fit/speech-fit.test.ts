import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseSpeechFit, expectedFactor, type SpeechFitSettings } from "./speech-fit.ts";
import type { SpeechSpeeds } from "./speech-speeds.ts";

const FAST = { "moonshine-base": 0.09, "kokoro-1": 0.57, "kokoro-2": 0.34, dittli: 0.04 };
/** Two cores of an AMD EPYC without AVX-512, a fifth of them taken by others. */
const SLOW = { "moonshine-base": 0.12, "kokoro-1": 1.03, "kokoro-2": 1.1, dittli: 0.08 };

function choose(speeds: SpeechSpeeds, cores = 2, settings: SpeechFitSettings = {}) {
  const { recognizer, defaultVoice, kokoroThreads } = chooseSpeechFit(speeds, cores, settings);
  return [recognizer, defaultVoice, kokoroThreads];
}

test("a fast machine has Kokoro as its default voice, with two threads if they save a fifth of the time", () => {
  assert.deepEqual(choose(FAST), ["base", "kokoro/af_heart", 2]);
  assert.deepEqual(choose({ ...FAST, "kokoro-2": 0.5 }), ["base", "kokoro/af_heart", 1]);
});

test("speeds measured beside other work do not take Kokoro's second thread away", () => {
  const disturbed = { ...FAST, "kokoro-2": 0.53 };
  assert.equal(chooseSpeechFit(disturbed, 2, {}, true).kokoroThreads, 2);
  assert.equal(chooseSpeechFit(disturbed, 1, {}, true).kokoroThreads, 1);
  assert.equal(chooseSpeechFit(disturbed, 2, { kokoroThreads: 1 }, true).kokoroThreads, 1);
});

test("a machine on which Kokoro takes nearly real time has the fast voice as its default", () => {
  assert.deepEqual(choose(SLOW), ["base", "dittli/male", 1]);
});

test("the smaller recognizer is used only if the larger one is too slow and the smaller one is faster", () => {
  assert.equal(choose({ ...SLOW, "moonshine-base": 0.5, "moonshine-tiny": 0.3 })[0], "tiny");
  assert.equal(choose({ ...SLOW, "moonshine-base": 0.5 })[0], "base");
  assert.equal(choose({ ...FAST, "moonshine-tiny": 0.05 })[0], "base");
});

test("a machine on which Kokoro is not usable has the fast voice as its default", () => {
  assert.equal(choose({ "moonshine-base": 0.09, dittli: 0.04 })[1], "dittli/male");
});

test("one core has one thread, measured or not", () => {
  assert.deepEqual(choose({}, 1), ["base", "kokoro/af_heart", 1]);
  assert.deepEqual(choose({ "kokoro-1": 0.6 }, 1), ["base", "kokoro/af_heart", 1]);
});

test("the operator's choices win", () => {
  const settings = { recognizer: "tiny", voice: "kokoro/am_adam", kokoroThreads: 2 } as const;
  assert.deepEqual(choose(SLOW, 2, settings), ["tiny", "kokoro/am_adam", 2]);
  assert.match(chooseSpeechFit(SLOW, 2, settings).summary, /kokoro\/am_adam \(set by the operator\)/);
});

test("the summary names what was chosen and the speeds", () => {
  assert.equal(
    chooseSpeechFit(SLOW, 2).summary,
    "default voice dittli/male, recognizer moonshine-base, kokoro with 1 thread; " +
      "seconds of work per second of sound on 2 cores: moonshine-base 0.12, kokoro-1 1.03, kokoro-2 1.10, dittli 0.08",
  );
});

test("until a voice has spoken, playout assumes its measured time and a margin for other work", () => {
  const expected = (cores: number, isDisturbed: boolean): (string | undefined)[] => {
    const fit = chooseSpeechFit(FAST, cores, {}, isDisturbed);
    return ["kokoro/af_heart", "dittli/male"].map((voice) => expectedFactor(fit, voice)?.toFixed(2));
  };
  assert.deepEqual(expected(2, false), ["0.43", "0.05"]);
  assert.deepEqual(expected(2, true), ["0.68", "0.08"]);
  assert.deepEqual(expected(1, false), ["1.14", "0.08"]);
  assert.equal(expectedFactor(chooseSpeechFit({}, 2), "kokoro/af_heart"), undefined);
});
