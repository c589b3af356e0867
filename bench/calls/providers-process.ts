import {
  startScriptedDeepgram,
  startScriptedElevenLabs,
  startScriptedOpenAi,
  type ScriptedExchange,
} from "../../packages/providers/src/testing/index.ts";
import { serve } from "../support/peer.ts";
import { questionText, replyText } from "./script.ts";

/** Delays of real providers on a good day; what comes after the first token comes word by word. */
const STT_LATENCY_MS = 100;
const LLM_FIRST_TOKEN_MS = 250;
const LLM_BETWEEN_CHUNKS_MS = 15;
const TTS_LATENCY_MS = 120;
const TTS_REAL_TIME_FACTOR = 5;
const STT_INTERIM_EVERY_MS = 500;

/** Speech recognition, language model and synthesis, each on a port of its own, in the vendors' wire formats. */
export type ProvidersMethods = {
  start: (argument: undefined) => Promise<{ stt: string; llm: string; tts: string }>;
  /** What the language model and the synthesis were asked since the last time. */
  takeExchanges: (argument: undefined) => Promise<{ llm: ScriptedExchange[]; tts: ScriptedExchange[] }>;
};

const stt = await startScriptedDeepgram({
  utterance: (connection, index) => questionText(connection + 1, index + 1),
  latencyMs: STT_LATENCY_MS,
  interimEveryMs: STT_INTERIM_EVERY_MS,
});
const llm = await startScriptedOpenAi({
  reply: ({ lastUserText }) => ({ text: replyText(lastUserText) }),
  firstTokenDelayMs: LLM_FIRST_TOKEN_MS,
  betweenChunksMs: LLM_BETWEEN_CHUNKS_MS,
});
const tts = await startScriptedElevenLabs({
  latencyMs: TTS_LATENCY_MS,
  realTimeFactor: TTS_REAL_TIME_FACTOR,
});

const methods: ProvidersMethods = {
  start: () => Promise.resolve({ stt: stt.url, llm: llm.url, tts: tts.url }),
  takeExchanges: () =>
    Promise.resolve({ llm: llm.stats.exchanges.splice(0), tts: tts.stats.exchanges.splice(0) }),
};
serve(methods);
