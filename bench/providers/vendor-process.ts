/** The vendors of `bench/providers.ts`, in a process of their own, so that they take no time from the adapters. */
import {
  startScriptedAnthropic,
  startScriptedCartesia,
  startScriptedDeepgram,
  startScriptedElevenLabs,
  startScriptedGoogle,
  startScriptedOpenAi,
  startScriptedOpenAiSpeech,
} from "@parley/providers/testing";
import { VENDOR_LATENCY_MS } from "./vendors.ts";

const latencyMs = VENDOR_LATENCY_MS;
const speech = { latencyMs, realTimeFactor: 4 };
const chat = {
  reply: () => ({ text: "Yes, we are." }),
  firstTokenDelayMs: latencyMs,
  betweenChunksMs: 5,
};
const utterance = (): string => "When are you open?";
const servers = {
  elevenlabs: await startScriptedElevenLabs(speech),
  cartesia: await startScriptedCartesia(speech),
  deepgram: await startScriptedDeepgram({ ...speech, utterance }),
  openai: await startScriptedOpenAiSpeech({ ...speech, utterance }),
  chat: await startScriptedOpenAi(chat),
  anthropic: await startScriptedAnthropic(chat),
  google: await startScriptedGoogle(chat),
};
const urls = Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url]));
process.send?.(urls);
process.on("disconnect", () => process.exit(0));
