import { speechToTextConformance, textToSpeechConformance, tone } from "@parley/conversation/testing";
import { startScriptedOpenAiSpeech } from "../testing/index.ts";
import { createOpenAiSpeechToText } from "./speech-to-text.ts";
import { createOpenAiTextToSpeech } from "./text-to-speech.ts";

for (const format of ["pcm", "wav"] as const) {
  textToSpeechConformance(`openai (${format})`, async () => {
    const server = await startScriptedOpenAiSpeech({ latencyMs: 5, realTimeFactor: 50, format });
    const tts = createOpenAiTextToSpeech({ baseUrl: `${server.url}/v1` });
    return {
      tts,
      voice: "alloy",
      sampleRateHz: 8000,
      close: async () => {
        await tts.close();
        await server.close();
      },
    };
  });
}

speechToTextConformance("openai", async () => {
  const server = await startScriptedOpenAiSpeech({ utterance: () => "Good morning.", latencyMs: 10 });
  const stt = createOpenAiSpeechToText({ baseUrl: `${server.url}/v1` });
  return {
    stt,
    sampleRateHz: 8000,
    speech: tone(1000, 8000, 6000),
    expected: /Good morning/,
    close: async () => {
      await stt.close();
      await server.close();
    },
  };
});
