import assert from "node:assert/strict";
import { test } from "node:test";
import { countFurtherCalls, demandOf, sumDemands } from "./speech-capacity.ts";
import { chooseSpeechFit } from "./speech-fit.ts";

const fit = (cores: number) =>
  chooseSpeechFit({ "moonshine-base": 0.09, "kokoro-1": 0.57, "kokoro-2": 0.34, dittli: 0.04 }, cores);
const KOKORO = { hasRecognizer: true, voice: "kokoro/af_heart" };
const DITTLI = { hasRecognizer: true, voice: "dittli/male" };
const NOTHING = sumDemands([]);

test("as many calls fit as leave a quarter of the processor and of each model free", () => {
  assert.equal(countFurtherCalls(NOTHING, demandOf(fit(2), KOKORO)), 4);
  assert.equal(countFurtherCalls(NOTHING, demandOf(fit(2), DITTLI)), 18);
  // A model does one thing at a time, however many cores there are.
  assert.equal(countFurtherCalls(NOTHING, demandOf(fit(16), KOKORO)), 5);
});

test("one core serves half as many", () => {
  assert.equal(countFurtherCalls(NOTHING, demandOf(fit(1), KOKORO)), 2);
  assert.equal(countFurtherCalls(NOTHING, demandOf(fit(1), DITTLI)), 11);
});

test("calls with different voices share the processor", () => {
  const three = sumDemands([1, 2, 3].map(() => demandOf(fit(2), KOKORO)));
  const further = countFurtherCalls(three, demandOf(fit(2), DITTLI));
  assert.ok(further > 1 && further < 18, String(further));
});

test("a call without local models takes nothing; one that only recognizes takes less than one that speaks too", () => {
  const nothing = demandOf(fit(2), { hasRecognizer: false, voice: undefined });
  assert.equal(countFurtherCalls(NOTHING, nothing), Infinity);
  const hearing = countFurtherCalls(NOTHING, demandOf(fit(2), { hasRecognizer: true, voice: undefined }));
  assert.ok(hearing >= 18 && hearing < Infinity, String(hearing));
});

test("a machine that has more than enough to do has room for no call", () => {
  const many = sumDemands(Array.from({ length: 9 }, () => demandOf(fit(2), KOKORO)));
  assert.equal(countFurtherCalls(many, demandOf(fit(2), DITTLI)), 0);
});
