import assert from "node:assert/strict";
import { test } from "node:test";
import type { NoiseSuppressor } from "../../providers/noise-suppression.ts";
import { EnergyVoiceActivityDetector } from "../../testing/energy-voice-activity.ts";
import { tone } from "../../testing/tone.ts";
import { CallerActivity } from "./caller-activity.ts";

const loud = tone(20, 8000, 6000);
const silence = new Int16Array(160);

interface Heard {
  activity: CallerActivity;
  suppressedFrames: () => number;
  speechWindows: () => number;
  agent: { isHeard: boolean };
}

/** Opens a detector that takes every loud window for speech, with a suppressor that takes it for noise. */
function open(isSuppressing: boolean): Heard {
  const agent = { isHeard: false };
  let suppressed = 0;
  let speech = 0;
  const noiseSuppressor: NoiseSuppressor = {
    open: () => ({
      process: (pcm) => {
        suppressed++;
        return pcm.map((sample) => sample / 100);
      },
      close: () => undefined,
    }),
  };
  const activity = new CallerActivity({
    sampleRateHz: 8000,
    vad: new EnergyVoiceActivityDetector(),
    noiseSuppressor: isSuppressing ? noiseSuppressor : undefined,
    isAgentAudible: () => agent.isHeard,
    isAgentPaused: () => false,
    onWindow: (probability) => (speech += probability >= 0.5 ? 1 : 0),
  });
  return { activity, agent, suppressedFrames: () => suppressed, speechWindows: () => speech };
}

function write({ activity }: Heard, pcm: Int16Array, frames: number): void {
  for (let i = 0; i < frames; i++) activity.write(pcm);
}

test("noise is suppressed only while the agent speaks and something sounds like speech", () => {
  const heard = open(true);
  write(heard, loud, 25);
  write(heard, silence, 50);
  heard.agent.isHeard = true;
  write(heard, silence, 50);
  assert.equal(heard.suppressedFrames(), 0);
  write(heard, loud, 10);
  const frames = heard.suppressedFrames();
  assert.ok(frames > 10, `${frames} frames, and those before the sound`);
  write(heard, silence, 100);
  const later = heard.suppressedFrames();
  assert.ok(later < frames + 40, `${later} frames`);
  heard.activity.close();
});

test("sound that the suppressor removes does not count as an interruption", () => {
  for (const isSuppressing of [false, true]) {
    const heard = open(isSuppressing);
    heard.agent.isHeard = true;
    write(heard, silence, 50);
    write(heard, loud, 20);
    assert.equal(heard.speechWindows() > 8, !isSuppressing);
    heard.activity.close();
    heard.activity.close();
  }
});
