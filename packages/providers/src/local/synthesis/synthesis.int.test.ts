import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Resampler } from "@parley/audio";
import { textToSpeechConformance } from "@parley/conversation/testing";
import { ensureModels } from "../../models/fetch.ts";
import { loadDittli } from "../dittli/dittli.ts";
import { createInProcessInference } from "../inference/in-process-client.ts";
import { loadKokoro } from "../kokoro/kokoro.ts";
import { loadMoonshine, type Moonshine } from "../moonshine/model.ts";
import { loadLexicon } from "../phonemes/lexicon.ts";
import { normalizeText } from "../phonemes/normalize.ts";
import { activeSpeechLevel } from "./loudness.ts";
import type { SpeechEngine } from "./engine.ts";
import { createSynthesizeHandler } from "./handler.ts";
import { LocalTextToSpeech } from "./local-text-to-speech.ts";
import { DEFAULT_LOCAL_VOICE, FAST_LOCAL_VOICE, LOCAL_VOICES } from "./voices.ts";

const sentences = [
  "We are open from nine to five on weekdays.",
  "Yes, there is free parking behind the building.",
  "I can book you in for Thursday morning.",
  "Could you tell me your name, please?",
  "The doctor will call you back this afternoon.",
  "Is there anything else I can help you with?",
  "We accept all major credit cards.",
  "Please hold the line while I look that up.",
  "I am sorry, I did not understand that.",
  "Goodbye, and have a wonderful day.",
];

let engines: { kokoro: SpeechEngine; dittli: SpeechEngine };
let recognizer: Moonshine;
let synthesize: ReturnType<typeof createSynthesizeHandler>;
const { signal } = new AbortController();

before(async () => {
  const modelsDir = await ensureModels({ groups: ["kokoro", "dittli", "moonshine-base"] });
  const lexicon = await loadLexicon();
  engines = {
    kokoro: await loadKokoro({ modelsDir, lexicon }),
    dittli: await loadDittli({ modelsDir, lexicon }),
  };
  recognizer = await loadMoonshine({ modelsDir, size: "base" });
  synthesize = createSynthesizeHandler(engines);
});

after(async () => {
  await Promise.all([engines.kokoro.close(), engines.dittli.close(), recognizer.close()]);
  await engines.kokoro.close();
});

async function say(text: string, voice: string): Promise<Int16Array> {
  const samples: number[] = [];
  const emit = ({ pcm }: { pcm: Int16Array }): void => void samples.push(...pcm);
  await synthesize({ text, voice, speed: 1, sampleRateHz: 8000, priority: "partial" }, { signal, emit });
  return Int16Array.from(samples);
}

function wordsOf(text: string): string[] {
  return (
    normalizeText(text)
      .toLowerCase()
      .match(/[a-z']+/g) ?? []
  );
}

/** Minimum number of words to insert, delete or replace. */
function wordErrors(expected: readonly string[], heard: readonly string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, column) => column);
  for (const [index, word] of expected.entries()) {
    const next = [index + 1];
    for (const [column, other] of heard.entries()) {
      const replaced = (row[column] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

for (const { voice, maxErrorRate } of [
  { voice: DEFAULT_LOCAL_VOICE, maxErrorRate: 0.05 },
  { voice: "kokoro/am_michael", maxErrorRate: 0.05 },
  { voice: FAST_LOCAL_VOICE, maxErrorRate: 0.2 },
]) {
  test(`a recognizer understands ${voice} over the telephone`, async (context) => {
    let errors = 0;
    let count = 0;
    for (const sentence of sentences) {
      const pcm = new Resampler(8000, 16_000).process(await say(sentence, voice));
      const { text: heard } = await recognizer.transcribe(pcm, signal);
      errors += wordErrors(wordsOf(sentence), wordsOf(heard));
      count += wordsOf(sentence).length;
    }
    context.diagnostic(`${errors} errors in ${count} words`);
    assert.ok(errors <= maxErrorRate * count, `${errors} errors in ${count} words`);
  });
}

test("every listed voice speaks, at telephone level", async () => {
  for (const { id } of LOCAL_VOICES) {
    const pcm = await say("Hi, this is Parley.", id);
    assert.ok(pcm.length > 4000, `${id}: ${pcm.length} samples`);
    const decibels = 20 * Math.log10(activeSpeechLevel(Float32Array.from(pcm, (sample) => sample / 32768)));
    assert.ok(Math.abs(decibels + 20) < 2, `${id}: ${decibels} dBFS`);
  }
});

test("a faster voice takes less time for the same words", async () => {
  const lengths: number[] = [];
  for (const speed of [0.7, 1, 1.5]) {
    for (const engine of Object.values(engines)) {
      const voice = engine.name === "local/kokoro" ? "af_heart" : "male";
      const pieces = await Array.fromAsync(
        engine.synthesize("Thank you for calling.", { voice, speed }, signal),
      );
      lengths.push(pieces.reduce((sum, piece) => sum + piece.samples.length, 0) / engine.sampleRateHz);
    }
  }
  const [slowKokoro = 0, slowDittli = 0, kokoro = 0, dittli = 0, fastKokoro = 0, fastDittli = 0] = lengths;
  assert.ok(slowKokoro > kokoro && kokoro > fastKokoro, String(lengths));
  assert.ok(slowDittli > dittli && dittli > fastDittli, String(lengths));
});

test("words during the warm-up of the fast voice are not mistaken for it", async () => {
  const [, pieces] = await Promise.all([
    engines.dittli.warmUp(),
    Array.fromAsync(
      engines.dittli.synthesize(
        "The club house stands behind the old station and the river.",
        { voice: "male", speed: 1 },
        new AbortController().signal,
      ),
    ),
  ]);
  const seconds = pieces.reduce((sum, { samples }) => sum + samples.length, 0) / engines.dittli.sampleRateHz;
  assert.ok(seconds > 2, `${seconds} s`);
});

test("the default voice reports the end of each of its words", async () => {
  const text = "We are open from nine until six, and on Saturday until one.";
  const params = {
    text,
    voice: "kokoro/af_heart",
    speed: 1,
    sampleRateHz: 8000,
    priority: "turn",
    // Some words are in the second part of their phrase.
    firstShare: 1 / 3,
  } as const;
  const chunks: number[] = [];
  const emit = ({ pcm }: { pcm: Int16Array }): void => void chunks.push(pcm.length);
  const { words } = await synthesize(params, { signal, emit });
  assert.deepEqual(
    words.map((word) => word.text),
    text.split(" "),
  );
  for (const { startMs, endMs } of words) assert.ok(endMs - startMs >= 50, `${startMs} to ${endMs} ms`);
  const lengthMs = chunks.reduce((sum, samples) => sum + samples, 0) / 8;
  const lastMs = words.at(-1)?.endMs ?? 0;
  assert.ok(lastMs > lengthMs - 600 && lastMs <= lengthMs, `${lastMs} of ${lengthMs} ms`);
});

test("texts of any length and kind are spoken or skipped", async () => {
  assert.equal((await say("😀 ***", DEFAULT_LOCAL_VOICE)).length, 0);
  const long = "one two three four five six seven eight nine ten ".repeat(12);
  assert.ok((await say(long, FAST_LOCAL_VOICE)).length > 20 * 8000);
});

test("an aborted synthesis stops with the signal's reason", async () => {
  const controller = new AbortController();
  const params = {
    text: "One moment, please.",
    voice: DEFAULT_LOCAL_VOICE,
    speed: 0.9,
    sampleRateHz: 8000,
    priority: "turn",
  } as const;
  const running = synthesize(params, {
    signal: controller.signal,
    emit: () => assert.fail("audio after abort"),
  });
  controller.abort(new Error("hung up"));
  await assert.rejects(running, /hung up/);
});

test("an unknown voice fails the stream without a retry", async (context) => {
  const client = createInProcessInference({ synthesize });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const stream = new LocalTextToSpeech({ client }).open({
    voice: "kokoro/nobody",
    sampleRateHz: 8000,
    language: "en",
    speed: 1,
    onEvent: resolve,
  });
  context.after(() => client.close());
  stream.speak(1, "Hello.");
  const event = await promise;
  assert.ok(typeof event === "object" && event !== null && "type" in event && event.type === "failed");
  assert.ok("error" in event && event.error instanceof Error);
  assert.match(event.error.message, /no voice kokoro\/nobody/);
});

test("a voice leaves its process free for the other models while it synthesizes", async () => {
  for (const voice of [DEFAULT_LOCAL_VOICE, FAST_LOCAL_VOICE]) {
    await say("Hello.", voice);
    const turnsAt = [performance.now()];
    const ticks = setInterval(() => turnsAt.push(performance.now()), 1);
    // One phrase, so that no step ends before all of it is synthesized.
    await say("we are open from nine in the morning to five in the evening on every weekday", voice);
    clearInterval(ticks);
    turnsAt.push(performance.now());
    const waits = turnsAt.slice(1).map((at, index) => at - (turnsAt[index] ?? at));
    const tookMs = (turnsAt.at(-1) ?? 0) - (turnsAt[0] ?? 0);
    // In this process, onnxruntime would block for nearly all of the time.
    assert.ok(Math.max(...waits) < tookMs / 2, `${voice}: blocked ${Math.max(...waits)} of ${tookMs} ms`);
  }
});

textToSpeechConformance("local", () => {
  const client = createInProcessInference({ synthesize });
  return {
    tts: new LocalTextToSpeech({ client }),
    voice: FAST_LOCAL_VOICE,
    sampleRateHz: 8000,
    close: () => client.close(),
  };
});
