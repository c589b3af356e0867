import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";

/** Loudest sample of a greeting at this volume. */
async function greetingPeak(voiceVolume?: number): Promise<number> {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley.", ...(voiceVolume !== undefined && { voiceVolume }) },
  });
  call.start();
  await call.stayQuiet(1_500);
  const samples = call.frames.flatMap((frame) => (frame === undefined ? [] : [...frame]));
  assert.ok(samples.length > 4_000);
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
}

test("everything that the agent says has its volume", async () => {
  const peak = await greetingPeak();
  assert.equal(await greetingPeak(1), peak);
  assert.ok(Math.abs((await greetingPeak(0.5)) - peak / 2) <= 1);
  assert.ok(Math.abs((await greetingPeak(1.5)) - 1.5 * peak) <= 1);
  assert.equal(await greetingPeak(0), 0);
});

test("further settings reach the model, beside the temperature", async () => {
  const call = new CallDriver({
    replies: ["Of course."],
    dialogue: { temperature: 0.2, callSettings: { topP: 0.5, stopSequences: ["END"] } },
  });
  call.start();
  await call.say("Can you help me?", 1_000);
  await call.waitUntil(() => call.model.requests.length > 0);
  const [request] = call.model.requests;
  assert.deepEqual(
    [request?.temperature, request?.topP, request?.stopSequences, request?.topK],
    [0.2, 0.5, ["END"], undefined],
  );
});
