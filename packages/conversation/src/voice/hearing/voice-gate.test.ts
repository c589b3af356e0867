import assert from "node:assert/strict";
import { test } from "node:test";
import { VoiceGate } from "./voice-gate.ts";

/** Feeds frames of one level and returns the resulting probability of the last window. */
function hear(
  gate: VoiceGate,
  levelDb: number,
  durationMs: number,
  isAgentAudible = false,
  { probability = 0.9, suppressedDb = undefined as number | undefined } = {},
): number {
  const frame = new Int16Array(160).fill(32_768 * 10 ** (levelDb / 20));
  let last = 0;
  for (let ms = 0; ms < durationMs; ms += 20) {
    gate.write(frame);
    if (suppressedDb !== undefined)
      gate.writeSuppressed(
        frame.map((sample) => sample * 10 ** ((suppressedDb - levelDb) / 20)),
        0,
      );
    last = gate.pass(probability, (framesOf.get(gate) ?? 0) * 160 + 160, isAgentAudible);
    framesOf.set(gate, (framesOf.get(gate) ?? 0) + 1);
  }
  return last;
}
const framesOf = new WeakMap<VoiceGate, number>();

test("speech on a quiet line passes, loud or soft", () => {
  for (const levelDb of [-20, -30, -40]) assert.equal(hear(new VoiceGate(8000), levelDb, 200), 0.9);
});

test("while the agent speaks, sound much quieter than the caller does not count", () => {
  const gate = new VoiceGate(8000);
  assert.equal(hear(gate, -46, 200, true), 0);
  hear(gate, -24, 1000);
  hear(gate, -80, 1000);
  assert.equal(hear(gate, -47, 200, true), 0);
  assert.equal(hear(gate, -28, 200, true), 0.9);
});

test("voices in the background are told from the louder caller", () => {
  const gate = new VoiceGate(8000);
  hear(gate, -42, 6000, true);
  assert.equal(hear(gate, -42, 200), 0);
  assert.equal(hear(gate, -26, 200), 0.9);
});

test("a caller who speaks without a pause is heard to the end", () => {
  assert.equal(hear(new VoiceGate(8000), -20, 60_000), 0.9);
});

test("a soft caller is heard over noise that does not sound like speech", () => {
  const gate = new VoiceGate(8000);
  hear(gate, -42, 6000, true, { probability: 0.1 });
  assert.equal(hear(gate, -37, 200), 0.9);
});

test("sound that noise suppression removes does not count as the caller", () => {
  const gate = new VoiceGate(8000);
  hear(gate, -26, 1000);
  hear(gate, -80, 1000);
  assert.equal(hear(gate, -29, 200, true, { suppressedDb: -31 }), 0.9);
  hear(gate, -80, 1000, true);
  assert.equal(hear(gate, -29, 200, true, { suppressedDb: -55 }), 0);
});
