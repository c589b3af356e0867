import {
  startScriptedDeepgram,
  startScriptedElevenLabs,
  startScriptedOpenAi,
  type ScriptedExchange,
} from "../../packages/providers/src/testing/index.ts";
import { serve } from "../support/peer.ts";
import { providerDelays, questionText, replyText } from "./script.ts";

const TTS_REAL_TIME_FACTOR = 5;
const STT_INTERIM_EVERY_MS = 500;

/** Speech recognition, language model and synthesis, each on its own port, in the vendors' wire formats. */
export type ProvidersMethods = {
  start: (argument: undefined) => Promise<{ stt: string; llm: string; tts: string }>;
  /** Exchanges of the language model and the synthesis since the last call. */
  takeExchanges: (argument: undefined) => Promise<{ llm: ScriptedExchange[]; tts: ScriptedExchange[] }>;
};

const stt = await startScriptedDeepgram({
  utterance: (connection, index) => questionText(connection + 1, index + 1),
  latencyMs: providerDelays.sttMs,
  interimEveryMs: STT_INTERIM_EVERY_MS,
});
const llm = await startScriptedOpenAi({
  reply: ({ lastUserText }) => ({ text: replyText(lastUserText) }),
  firstTokenDelayMs: providerDelays.llmFirstTokenMs,
  betweenChunksMs: providerDelays.llmBetweenChunksMs,
});
const tts = await startScriptedElevenLabs({
  latencyMs: providerDelays.ttsMs,
  realTimeFactor: TTS_REAL_TIME_FACTOR,
});

const methods: ProvidersMethods = {
  start: () => Promise.resolve({ stt: stt.url, llm: llm.url, tts: tts.url }),
  takeExchanges: () =>
    Promise.resolve({ llm: llm.stats.exchanges.splice(0), tts: tts.stats.exchanges.splice(0) }),
};
serve(methods);
