import { Resampler } from "@parley/audio";
import { loadDittli, loadKokoro, loadLexicon, loadMoonshine, type SpeechEngine } from "@parley/providers";
import { percentile, sumOf } from "../support/statistics.ts";
import { countWordErrors, normalizeWords } from "./word-errors.ts";
import { cpuSecondsOf } from "./cpu.ts";

/** Sentences of a receptionist: numbers, names, times. The short ones are typical beginnings of replies. */
const sentences = [
  "On Saturday we are open from nine to one.",
  "A checkup costs forty five pounds.",
  "There is free parking behind the building.",
  "Your table for four is booked at seven thirty.",
  "The next train to London leaves in twenty minutes.",
  "Please bring your passport and a recent bill.",
  "I have sent you a message with the address.",
  "The parcel will arrive on Tuesday before noon.",
  "Could you spell your last name for me?",
  "We close early on the last day of the month.",
];
const shortClauses = ["Yes, of course.", "We open at nine.", "One moment, please.", "That is correct."];
const SHORT_CLAUSE_ROUNDS = 3;

export interface SynthesisRow {
  engine: string;
  /** Processor seconds per second of audio. */
  rtf: number;
  /** Wall time to the complete audio of three or four words. */
  shortClauseP50Ms: number;
  /** Share of words that the recognizer (Moonshine base) heard differently in the audio, 0–1. */
  wer: number;
}

async function speak(engine: SpeechEngine, voice: string, text: string): Promise<Float32Array> {
  const pieces: Float32Array[] = [];
  const { signal } = new AbortController();
  for await (const piece of engine.synthesize(text, { voice, speed: 1 }, signal)) pieces.push(piece.samples);
  return Float32Array.from(pieces.flatMap((piece) => [...piece]));
}

async function measureEngine(
  engine: SpeechEngine,
  voice: string,
  recognize: (pcm16k: Int16Array) => Promise<string>,
): Promise<SynthesisRow> {
  await engine.warmUp();
  const spoken: Float32Array[] = [];
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (const text of sentences) spoken.push(await speak(engine, voice, text));
  });
  const waits: number[] = [];
  for (let round = 0; round < SHORT_CLAUSE_ROUNDS; round += 1) {
    for (const text of shortClauses) {
      const startedAtMs = performance.now();
      await speak(engine, voice, text);
      waits.push(performance.now() - startedAtMs);
    }
  }
  let errors = 0;
  for (const [index, samples] of spoken.entries()) {
    const pcm = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767);
    const heard = await recognize(new Resampler(engine.sampleRateHz, 16_000).process(pcm));
    errors += countWordErrors(normalizeWords(sentences[index] ?? ""), normalizeWords(heard));
  }
  await engine.close();
  return {
    engine: `${engine.name}/${voice}`,
    rtf: cpuSeconds / sumOf(spoken.map(({ length }) => length / engine.sampleRateHz)),
    shortClauseP50Ms: percentile(waits, 0.5),
    wer: errors / sumOf(sentences.map((text) => normalizeWords(text).length)),
  };
}

/** Cost, delay and intelligibility of the local voices. */
export async function measureSynthesis(modelsDir: string): Promise<SynthesisRow[]> {
  const lexicon = await loadLexicon();
  const recognizer = await loadMoonshine({ modelsDir, size: "base" });
  const { signal } = new AbortController();
  const recognize = async (pcm: Int16Array): Promise<string> =>
    (await recognizer.transcribe(pcm, signal)).text;
  const rows = [
    await measureEngine(await loadKokoro({ modelsDir, lexicon }), "af_heart", recognize),
    await measureEngine(await loadDittli({ modelsDir, lexicon }), "male", recognize),
  ];
  await recognizer.close();
  return rows;
}
