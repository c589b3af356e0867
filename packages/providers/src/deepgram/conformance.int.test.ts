import { speechToTextConformance, tone } from "@parley/conversation/testing";
import { startScriptedDeepgram } from "../testing/index.ts";
import { createDeepgramSpeechToText } from "./deepgram.ts";

speechToTextConformance("deepgram", async () => {
  const server = await startScriptedDeepgram({ utterance: () => "Good morning.", latencyMs: 10 });
  return {
    stt: createDeepgramSpeechToText({ apiKey: "key", baseUrl: server.url }),
    sampleRateHz: 8000,
    speech: tone(1000, 8000, 6000),
    expected: /Good morning/,
    breakConnection: () => void server.close(),
    close: async () => await server.close(),
  };
});
