import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeTextToSpeech } from "../../testing/fake-text-to-speech.ts";
import { SynthesisPace } from "./synthesis-pace.ts";
import { VoiceSpeeds } from "./voice-speeds.ts";

/** About 3 s of speech. */
const TEXT = "We are open every day from nine to six.";
const AUDIO_MS = 3_000;

/** A pace whose voice, never measured, speaks a clause. `receive` adds audio (ms) at a time (ms after the request). */
function openPace() {
  let nowMs = 0;
  const voice = { tts: new FakeTextToSpeech(), voice: "fake" };
  const pace = new SynthesisPace({
    speeds: new VoiceSpeeds(),
    speed: 1,
    voice: () => voice,
    now: () => nowMs,
  });
  pace.noteRequest(1, TEXT);
  let audioMs = 0;
  const receive = (atMs: number, arrivedMs: number): void => {
    nowMs = atMs;
    audioMs += arrivedMs;
    pace.noteAudio(audioMs);
  };
  const end = (): void => pace.noteEnd(1, { audioMs, isCached: false, isPaused: false });
  return { pace, receive, end };
}

/** A pace whose voice has spoken one clause: audio (ms) by its arrival (ms after the request). */
function paceAfter(arrivals: readonly (readonly [atMs: number, audioMs: number])[]): SynthesisPace {
  const { pace, receive, end } = openPace();
  for (const [atMs, audioMs] of arrivals) receive(atMs, audioMs);
  end();
  return pace;
}

function willSuffice(pace: SynthesisPace, bufferedMs: number): boolean {
  return pace.willSuffice({ text: TEXT, arrivedMs: bufferedMs, bufferedMs, hasRunDry: false });
}

test("a clause starts with its first audio if a voice takes long to begin and then streams quickly", () => {
  const vendor = paceAfter([
    [900, 200],
    [1_000, AUDIO_MS - 200],
  ]);
  assert.ok(willSuffice(vendor, 200));
});

test("a fast stream of small pieces is played from its first piece", () => {
  const vendor = paceAfter(Array.from({ length: 12 }, (_, index) => [120 + index * 50, 250] as const));
  assert.ok(willSuffice(vendor, 250));
});

for (const [what, intervalMs, starts] of [
  ["fast", 50, true],
  ["slow", 300, false],
] as const) {
  test(`a ${what} stream of an unknown voice is played ${starts ? "from its second piece" : "once it suffices"}`, () => {
    const { pace, receive } = openPace();
    receive(900, 200);
    assert.equal(willSuffice(pace, 200), false, "one piece says nothing about the next");
    receive(915, 200);
    assert.equal(willSuffice(pace, 400), false, "chunks that arrive together are one piece");
    receive(900 + intervalMs, 200);
    assert.equal(willSuffice(pace, 600), starts);
  });
}

test("a voice that takes as long for every phrase is buffered by its speed", () => {
  const local = paceAfter([
    [600, 1_000],
    [1_200, 1_000],
    [1_800, 1_000],
  ]);
  assert.equal(willSuffice(local, 1_000), false);
  assert.ok(willSuffice(local, 1_300));
});

test("chunks that arrive together are one piece", () => {
  const chunk = (atMs: number) => Array.from({ length: 5 }, () => [atMs, 200] as const);
  const local = paceAfter([600, 1_200, 1_800].flatMap(chunk));
  assert.equal(willSuffice(local, 1_000), false);
  assert.ok(willSuffice(local, 1_300));
  const whole = paceAfter([1_800, 1_800, 1_800].flatMap(chunk));
  assert.equal(willSuffice(whole, 1_000), false);
  assert.ok(willSuffice(whole, 1_300));
});

test("a voice that delivers a clause in one piece is judged by the whole time", () => {
  const whole = paceAfter([[1_800, AUDIO_MS]]);
  assert.equal(willSuffice(whole, 1_000), false);
  assert.ok(willSuffice(whole, 1_300));
});

test("a clause begins with the share of it that the voice is told to synthesize first", () => {
  for (const factor of [0.3, 0.45, 0.7]) {
    const pace = paceAfter([
      [500, 1_000],
      [500 + 2_000 * factor, 2_000],
    ]);
    const { startShare } = pace;
    assert.ok(startShare < 0.6, `${startShare}`);
    assert.ok(willSuffice(pace, startShare * AUDIO_MS), `${factor}`);
  }
});

test("a voice that is slower than it speaks begins with whole phrases", () => {
  assert.equal(paceAfter([[3_300, AUDIO_MS]]).startShare, 1);
});

test("the length of a text is learned from audio that was synthesized earlier as well", () => {
  const speeds = new VoiceSpeeds();
  const tts = Object.assign(new FakeTextToSpeech(), { assumedRealTimeFactorOf: () => 0.5 });
  const voice = { tts, voice: "fake" };
  const pace = new SynthesisPace({ speeds, speed: 1, voice: () => voice, now: () => 0 });
  pace.noteRequest(1, TEXT);
  pace.noteEnd(1, { audioMs: AUDIO_MS / 2, isCached: true, isPaused: false });
  assert.equal(speeds.expectedMs(voice, TEXT, 1), AUDIO_MS / 2);
  assert.equal(speeds.realTimeFactorOf(voice), 0.5);
});

test("a local voice whose first audio is late on a busy machine is not expected to be as fast as it was measured", () => {
  const tts = Object.assign(new FakeTextToSpeech(), { assumedRealTimeFactorOf: () => 0.3 });
  const startAfter = (tookMs: number): boolean => {
    let nowMs = 0;
    const pace = new SynthesisPace({
      speeds: new VoiceSpeeds(),
      speed: 1,
      voice: () => ({ tts, voice: "fake" }),
      now: () => nowMs,
    });
    pace.noteRequest(1, TEXT);
    nowMs = tookMs;
    pace.noteAudio(AUDIO_MS / 3);
    return willSuffice(pace, AUDIO_MS / 3);
  };
  assert.ok(startAfter(400));
  assert.equal(startAfter(1_700), false);
});
