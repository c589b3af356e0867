import { readFile } from "node:fs/promises";
import path from "node:path";
import { decodePcmu, Resampler } from "@parley/audio";
import type { VoiceActivityDetector } from "@parley/conversation";
import type { MiniLm } from "../minilm/embedder.ts";
import type { Moonshine } from "../moonshine/model.ts";
import type { SmartTurn } from "../smart-turn/smart-turn.ts";
import type { SpeechEngine } from "../synthesis/engine.ts";
import type { ModelAnswer } from "../../models/known-answers/known-answers.ts";
import { sweep } from "./sweep.ts";

const { signal } = new AbortController();
/** "Go forward ten meters", 8 kHz: bench/recordings/go-forward.wav over G.711. */
const speechFile = path.join(import.meta.dirname, "..", "..", "models", "known-answers", "speech.ulaw");
const WINDOW_SAMPLES = 256;
/** Number of equal parts of a sound whose levels are part of the answer. */
const SOUND_PARTS = 6;

/** Below this level (-40 dB) sounds count as equally silent. */
const SILENT_POWER = 1e-4;

async function readSpeech(): Promise<Int16Array> {
  return decodePcmu(new Uint8Array(await readFile(speechFile)));
}

export async function askSmartTurn(model: SmartTurn): Promise<ModelAnswer> {
  return { values: [await model.predict(sweep(24_000)), await model.predict(sweep(140_000))] };
}

export async function askMiniLm(model: MiniLm): Promise<ModelAnswer> {
  const texts = ["When are you open?", "What are your opening hours?", "How much is the soup?"];
  const vectors = await model.embed(texts, signal);
  const similarity = (a: number, b: number): number =>
    vectors[a]?.reduce((sum, value, at) => sum + value * (vectors[b]?.[at] ?? 0), 0) ?? 0;
  return { values: [similarity(0, 1), similarity(0, 2), similarity(1, 2)] };
}

export async function askMoonshine(model: Moonshine): Promise<ModelAnswer> {
  const pcm = new Resampler(8000, 16_000).process(await readSpeech());
  const { text, certainty } = await model.transcribe(pcm, signal);
  return { text, values: [certainty?.confidence ?? 0] };
}

/** Probabilities of every tenth window of the speech. */
export async function askSilero(detector: VoiceActivityDetector): Promise<ModelAnswer> {
  const pcm = await readSpeech();
  const values: number[] = [];
  let heard = Promise.withResolvers<number>();
  const stream = detector.open({
    sampleRateHz: 8000,
    onProbability: (probability) => heard.resolve(probability),
  });
  for (let window = 0; (window + 1) * WINDOW_SAMPLES <= pcm.length; window += 1) {
    heard = Promise.withResolvers();
    stream.write(pcm.subarray(window * WINDOW_SAMPLES, (window + 1) * WINDOW_SAMPLES));
    const probability = await heard.promise;
    if (window % 10 === 0) values.push(probability);
  }
  stream.close();
  return { values };
}

/** Length in seconds, and levels in bel, of a voice's sound for a sentence. */
export async function askVoice(engine: SpeechEngine, voice: string): Promise<ModelAnswer> {
  const samples: number[] = [];
  for await (const piece of engine.synthesize("Go forward ten meters.", { voice, speed: 1 }, signal)) {
    for (const sample of piece.samples) samples.push(sample);
  }
  const partLength = Math.floor(samples.length / SOUND_PARTS);
  const levels = Array.from({ length: SOUND_PARTS }, (_, part) => {
    const inPart = samples.slice(part * partLength, (part + 1) * partLength);
    const power = inPart.reduce((sum, sample) => sum + sample * sample, 0) / partLength;
    return Math.log10(power + SILENT_POWER);
  });
  return { values: [samples.length / engine.sampleRateHz, ...levels] };
}
