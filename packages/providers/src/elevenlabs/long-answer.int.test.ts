import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import {
  Dialogue,
  VoiceConversation,
  type TextToSpeech,
  type VoiceAgentSettings,
  type VoiceEvent,
} from "@parley/conversation";
import {
  EnergyVoiceActivityDetector,
  FakeSpeechToText,
  ScriptedLanguageModel,
} from "@parley/conversation/testing";
import { startScriptedElevenLabs } from "../testing/index.ts";
import { createElevenLabsTextToSpeech } from "./elevenlabs.ts";

/** About a minute and a half of speech, in many sentences. */
const LONG_ANSWER = Array.from(
  { length: 30 },
  (_, i) => `This is sentence number ${i + 1} of a long answer.`,
).join(" ");
/** Audio buffered before synthesis is paused, plus what may be on its way by then. */
const HELD_LIMIT_S = 10 + 3;

const AGENT: VoiceAgentSettings = {
  firstMessage: LONG_ANSWER,
  firstMessageDelayMs: 0,
  startSpeaker: "agent",
  silenceEndCallTimeoutSeconds: 30,
  maxConversationDurationSeconds: 600,
  disableInterruptions: false,
  interruptionThresholdMs: 200,
  language: "en",
  voice: "rachel",
  voiceSpeed: 1,
  sttKeyterms: [],
};

test("a long answer plays without a gap, with no more than about ten seconds of it buffered", async () => {
  const server = await startScriptedElevenLabs({ latencyMs: 5, realTimeFactor: 500, chunkMs: 240 });
  const elevenLabs = createElevenLabsTextToSpeech({ apiKey: "key", baseUrl: server.url });
  let arrivedSamples = 0;
  const watched: TextToSpeech = {
    name: elevenLabs.name,
    open: (options) =>
      elevenLabs.open({
        ...options,
        onEvent: (event) => {
          if (event.type === "audio") arrivedSamples += event.pcm.length;
          options.onEvent(event);
        },
      }),
  };
  const events: VoiceEvent[] = [];
  const conversation = new VoiceConversation({
    sampleRateHz: 8000,
    agent: AGENT,
    dialogue: new Dialogue({ model: new ScriptedLanguageModel([]), instructions: "" }),
    stt: new FakeSpeechToText(),
    tts: watched,
    vad: new EnergyVoiceActivityDetector(),
    onEvent: (event) => events.push(event),
  });
  await conversation.prepare(AbortSignal.timeout(5_000));
  conversation.start();
  const silence = new Int16Array(160);
  const item = (): boolean => events.some(({ type }) => type === "item");
  let playedSamples = 0;
  let gaps = 0;
  let mostHeldSamples = 0;
  for (let ticks = 0; ticks < 20_000 && !item(); ticks++) {
    conversation.hear(silence);
    const frame = conversation.nextFrame();
    if (frame !== undefined) playedSamples += frame.length;
    else if (playedSamples > 0 && !item()) gaps++;
    mostHeldSamples = Math.max(mostHeldSamples, arrivedSamples - playedSamples);
    // Many times faster than a call, and slow enough for the network to follow.
    if (ticks % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    else await setImmediate();
  }
  conversation.close();
  elevenLabs.close();
  await server.close();
  assert.ok(mostHeldSamples <= HELD_LIMIT_S * 8000, `${mostHeldSamples / 8000} s held`);
  assert.ok(mostHeldSamples > 9 * 8000, "the server was fast enough to be held back");
  assert.equal(gaps, 0);
  assert.deepEqual(
    events.flatMap((event) => (event.type === "item" ? [event.item.text] : [])),
    [LONG_ANSWER],
  );
  assert.equal(events.filter(({ type }) => type === "fault").length, 0);
});
