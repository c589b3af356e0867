import { textToSpeechConformance } from "@parley/conversation/testing";
import { startScriptedElevenLabs } from "../testing/index.ts";
import { createElevenLabsTextToSpeech } from "./elevenlabs.ts";

textToSpeechConformance("elevenlabs", async () => {
  const server = await startScriptedElevenLabs({ latencyMs: 5, realTimeFactor: 50 });
  const tts = createElevenLabsTextToSpeech({ apiKey: "key", baseUrl: server.url });
  return {
    tts,
    voice: "rachel",
    sampleRateHz: 8000,
    close: async () => {
      tts.close();
      await server.close();
    },
  };
});
