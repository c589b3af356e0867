/**
 * Overhead of the adapters: from the first byte of a vendor's answer on the wire to the first audio, text or transcript that
 * the conversation receives, at 50 streams at once. Vendors are servers in another process that speak the wire formats.
 *
 *     npm run bench -- providers [--json] [--streams N] [--rounds N]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { LanguageModel, SpeechToText, TextToSpeech } from "@parley/conversation";
import { modelProviderKind, recognizerKind, voiceProviderKind } from "@parley/providers/registry";
import { seededRandom } from "@parley/testing";
import { readFirstBytes, startVendors, type VendorName } from "./providers/vendors.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

/** Largest pause of a stream between two requests. */
const MAX_PAUSE_MS = 400;
const SAMPLE_RATE_HZ = 8000;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    streams: { type: "string", default: "50" },
    rounds: { type: "string", default: "10" },
  },
});
const [streams, rounds] = [Number(options.streams), Number(options.rounds)];

/** Times at which the conversation received the first part of an answer, by the text of its exchange. */
type Received = Map<string, number[]>;

interface Subject {
  provider: string;
  vendor: VendorName;
  /** Sends one request; resolves with the text of its exchange and the time of the first part of the answer. */
  ask: (text: string) => Promise<{ text: string; atMs: number }>;
  close: () => Promise<void> | void;
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

function speakWith(provider: string, vendor: VendorName, tts: TextToSpeech & Closable): Subject {
  return {
    provider,
    vendor,
    ask: async (text) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      let atMs: number | undefined;
      const stream = tts.open({
        voice: "voice",
        sampleRateHz: SAMPLE_RATE_HZ,
        language: "en",
        speed: 1,
        onEvent: (event) => {
          if (event.type === "audio") atMs ??= nowMs();
          if (event.type === "ended") resolve();
          if (event.type === "failed") reject(event.error);
        },
      });
      stream.speak(1, text);
      stream.end();
      await promise;
      return { text, atMs: atMs ?? Number.NaN };
    },
    close: async () => await tts.close?.(),
  };
}

/** The recognizer's answers cannot be told apart by their text: each stream waits for its own, in order. */
function hearWith(provider: string, vendor: VendorName, stt: SpeechToText & Closable): Subject {
  const speech = Int16Array.from({ length: SAMPLE_RATE_HZ / 4 }, (_, at) => 6000 * Math.sin(at / 4));
  return {
    provider,
    vendor,
    ask: async () => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const stream = stt.open({
        sampleRateHz: SAMPLE_RATE_HZ,
        language: "en",
        keyterms: [],
        onEvent: (event) => {
          if (event.type === "flushed") resolve(nowMs());
          if (event.type === "failed") reject(event.error);
        },
      });
      stream.write(speech);
      stream.startUtterance(250);
      stream.flush(1);
      const atMs = await promise;
      stream.close();
      return { text: "When are you open?", atMs };
    },
    close: async () => await stt.close?.(),
  };
}

function writeWith(provider: string, vendor: VendorName, model: LanguageModel & Closable): Subject {
  return {
    provider,
    vendor,
    ask: async (text) => {
      const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
      const { stream } = await model.doStream({ prompt });
      let atMs: number | undefined;
      for await (const part of stream) if (part.type === "text-delta") atMs ??= nowMs();
      return { text, atMs: atMs ?? Number.NaN };
    },
    close: async () => await model.close?.(),
  };
}

interface Closable {
  close?(): void | Promise<void>;
}

async function openSubjects(urls: Record<VendorName, string>): Promise<Subject[]> {
  const apiKey = "bench";
  const voices = (["elevenlabs", "cartesia", "deepgram", "openai"] as const).map(async (id) => {
    const { load, defaultModel: model } = voiceProviderKind(id);
    const baseUrl = id === "openai" ? `${urls.openai}/v1` : urls[id];
    return speakWith(`${id} (voice)`, id, (await load())({ baseUrl, apiKey }, { model }));
  });
  const recognizers = (["deepgram", "openai"] as const).map(async (id) => {
    const { load, defaultModel: model } = recognizerKind(id);
    const baseUrl = id === "openai" ? `${urls.openai}/v1` : urls[id];
    return hearWith(`${id} (recognition)`, id, (await load())({ baseUrl, apiKey }, { model }));
  });
  const models = (["openai-compatible", "anthropic", "google"] as const).map(async (id) => {
    const baseUrl = id === "openai-compatible" ? `${urls.chat}/v1` : urls[id];
    const model = (await modelProviderKind(id).load())({ baseUrl, apiKey }, { model: "scripted" });
    return writeWith(id, id === "openai-compatible" ? "chat" : id, model);
  });
  return await Promise.all([...voices, ...recognizers, ...models]);
}

async function measure(subject: Subject, url: string): Promise<number[]> {
  const received: Received = new Map();
  const before = await readFirstBytes(url);
  await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      const random = seededRandom(stream + 1);
      for (let round = 0; round < rounds; round++) {
        await sleep(random() * MAX_PAUSE_MS);
        const { text, atMs } = await subject.ask(`Stream ${stream} says sentence ${round} now.`);
        received.set(text, [...(received.get(text) ?? []), atMs]);
      }
    }),
  );
  const after = await readFirstBytes(url);
  return [...received].flatMap(([text, times]) => {
    const firstBytes = (after.get(text) ?? []).slice(before.get(text)?.length ?? 0);
    if (firstBytes.length !== times.length) throw new Error(`${subject.provider}: an answer is missing`);
    firstBytes.sort((a, b) => a - b);
    return times.sort((a, b) => a - b).map((atMs, at) => Math.max(0, atMs - (firstBytes[at] ?? Number.NaN)));
  });
}

const yardstick = new Yardstick();
const { urls, child } = await startVendors();
const rows: { provider: string; overheadP50Ms: number | null; overheadP99Ms: number | null }[] = [];
for (const subject of await openSubjects(urls)) {
  // The first requests load code and open connections.
  await Promise.all(Array.from({ length: streams }, async (_, at) => await subject.ask(`Warm up ${at}.`)));
  const overheadMs = await measure(subject, urls[subject.vendor]);
  await subject.close();
  rows.push({
    provider: subject.provider,
    overheadP50Ms: rounded(percentile(overheadMs, 0.5)),
    overheadP99Ms: rounded(percentile(overheadMs, 0.99)),
  });
}
child.disconnect();
console.table(rows);
const report = yardstick.finish(
  Object.fromEntries(rows.map(({ provider, overheadP99Ms }) => [`${provider}, p99`, overheadP99Ms])),
);
if (options.json) console.log(JSON.stringify({ streams, rows, ...report }));
