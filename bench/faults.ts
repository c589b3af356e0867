/**
 * Conversations with failing providers, in real time.
 *
 *     npm run bench -- faults [--json] [--calls 50] [--seconds 12] [--at-once 3] [--only TEXT]
 *
 * 50 conversations per fault in this process, three faults at a time (about three minutes for all of them), with the
 * real adapters (Deepgram, ElevenLabs, OpenAI-compatible) against scripted servers; one provider fails at one stage, on
 * every connection. A second recognizer and a second voice are the fallbacks, like local speech in a deployment.
 * Measures silence while the agent owed speech: from 600 ms after the end of a question (for the greeting, from the
 * answering of the call) to the end of the answer or of the call. No period of it may be longer than 1.5 s.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createFailoverSpeechToText, PhraseBook } from "@parley/conversation";
import {
  createDeepgramSpeechToText,
  createElevenLabsTextToSpeech,
  createOpenAiCompatibleModel,
} from "@parley/providers";
import {
  type ScriptedFault,
  startScriptedDeepgram,
  startScriptedElevenLabs,
  startScriptedOpenAi,
} from "@parley/providers/testing";
import { ANSWER, FaultCall, type FaultCallProviders, QUESTION, TICK_MS } from "./faults/call.ts";
import { type Scenario, scenarios } from "./faults/scenarios.ts";
import { percentile, rounded, sumOf } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const LIMIT_MS = 1500;
const VOICE = "rachel";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    calls: { type: "string", default: "50" },
    seconds: { type: "string", default: "12" },
    "at-once": { type: "string", default: "3" },
    only: { type: "string", default: "" },
  },
});
const calls = Number(options.calls);
const seconds = Number(options.seconds);

type Fault = (index: number) => ScriptedFault | undefined;

interface Setup {
  providers: FaultCallProviders;
  close: () => Promise<void>;
}

async function setUp({ part, fault }: Scenario): Promise<Setup> {
  const only = (each: Scenario["part"]): { fault?: Fault } => (each === part ? { fault } : {});
  const closers: (() => unknown)[] = [];
  const recognizer = async (faulty: {
    fault?: Fault;
  }): Promise<ReturnType<typeof createDeepgramSpeechToText>> => {
    const server = await startScriptedDeepgram({ utterance: () => QUESTION, latencyMs: 120, ...faulty });
    closers.push(async () => await server.close());
    return createDeepgramSpeechToText({ apiKey: "bench", baseUrl: server.url });
  };
  const voice = async (faulty: {
    fault?: Fault;
  }): Promise<ReturnType<typeof createElevenLabsTextToSpeech>> => {
    const server = await startScriptedElevenLabs({ latencyMs: 150, realTimeFactor: 4, ...faulty });
    const tts = createElevenLabsTextToSpeech({ apiKey: "bench", baseUrl: server.url });
    closers.push(() => tts.close());
    closers.push(async () => await server.close());
    return tts;
  };
  const llm = await startScriptedOpenAi({
    reply: () => ({ text: ANSWER }),
    firstTokenDelayMs: 250,
    betweenChunksMs: 20,
    ...only("llm"),
  });
  const model = createOpenAiCompatibleModel({ baseUrl: `${llm.url}/v1`, model: "scripted" });
  closers.push(async () => await model.close());
  closers.push(async () => await llm.close());
  const second = { tts: await voice({}), voice: VOICE };
  const phrases = new PhraseBook();
  closers.unshift(() => phrases.close());
  const providers: FaultCallProviders = {
    stt: createFailoverSpeechToText({
      recognizers: [
        { stt: await recognizer(only("stt")), answerDeadlineMs: 900 },
        { stt: await recognizer({}), answerDeadlineMs: 900 },
      ],
    }),
    model,
    voices: [{ tts: await voice(only("tts")), voice: VOICE }, second],
    phrases,
  };
  // Speaks once before the provider fails, because the first call caches the phrases.
  const before = new FaultCall({ ...providers, voices: [second] });
  before.start();
  await sleep(3000);
  before.close();
  return {
    providers,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}

async function run(scenario: Scenario): Promise<Record<string, number | string | null>> {
  const { providers, close } = await setUp(scenario);
  const all = Array.from({ length: calls }, () => new FaultCall(providers));
  await Promise.all(
    all.map(async (call) => {
      await call.prepare();
      call.start();
    }),
  );
  const startedAt = performance.now();
  let lateMs = 0;
  for (let tick = 1; tick <= (seconds * 1000) / TICK_MS; tick++) {
    const waitMs = startedAt + tick * TICK_MS - performance.now();
    lateMs = Math.max(lateMs, -waitMs);
    if (waitMs > 0) await sleep(waitMs);
    for (const call of all) call.tick();
  }
  for (const call of all) call.close();
  await close();
  const results = all.map(({ result }) => result);
  const silences = results.flatMap(({ silencesMs }) => silencesMs);
  const longest = results.map(({ silencesMs }) => Math.max(0, ...silencesMs));
  const ends = results.flatMap(({ endReason }) => endReason ?? []);
  return {
    scenario: scenario.name,
    calls,
    questions: sumOf(results.map(({ questions }) => questions)),
    wholeAnswers: sumOf(results.map(({ wholeAnswers }) => wholeAnswers)),
    longestSilenceP50Ms: rounded(percentile(longest, 0.5), 0),
    longestSilenceMs: Math.max(0, ...longest),
    secondsOverLimit: rounded(sumOf(silences.map((ms) => Math.max(0, ms - LIMIT_MS))) / 1000),
    fillerPhrases: sumOf(results.map(({ fillerPhrases }) => fillerPhrases)),
    ended: ends.length,
    endReasons: [...new Set(ends)].join(" "),
    faults: sumOf(results.map(({ faults }) => faults)),
    lateMs: rounded(lateMs, 0),
  };
}

const yardstick = new Yardstick();
const startedAt = performance.now();
const rows: Record<string, number | string | null>[] = [];
const waiting = scenarios.filter(({ name }) => name.includes(options.only)).values();
await Promise.all(
  Array.from({ length: Number(options["at-once"]) }, async () => {
    for (const scenario of waiting) {
      const row = await run(scenario);
      rows.push(row);
      if (!options.json) console.log(JSON.stringify(row));
    }
  }),
);
if (!options.json)
  console.table(rows, [
    "scenario",
    "questions",
    "wholeAnswers",
    "longestSilenceP50Ms",
    "longestSilenceMs",
    "secondsOverLimit",
    "ended",
  ]);
const longestSilenceMs = Math.max(...rows.map((row) => Number(row["longestSilenceMs"])));
const secondsOverLimit = rounded(sumOf(rows.map((row) => Number(row["secondsOverLimit"]))));
const took = rounded((performance.now() - startedAt) / 1000, 0);
const report = yardstick.finish({ "longest silence": longestSilenceMs });
console.log(
  JSON.stringify({
    faults: rows.length,
    calls,
    tookSeconds: took,
    limitMs: LIMIT_MS,
    longestSilenceMs,
    secondsOverLimit,
    scenarios: rows,
    ...report,
  }),
);
