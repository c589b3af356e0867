import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { decodePcmu, encodePcmu, Resampler } from "@parley/audio";
import { loadKokoro, loadLexicon, type SpeechEngine } from "@parley/providers";
import { scripts, textOf } from "./phrases.ts";
import { normalized, SAMPLES_PER_MS, trimmed } from "./sounds.ts";

/** Script in one voice, spoken in one breath; 8 kHz, without silence around it. */
export interface SpokenScript {
  script: string;
  voice: string;
  text: string;
  /** Ends of its words as spoken ("uh-huh" is two), reported by the synthesizer. */
  wordEndsMs: readonly number[];
  pcm: Int16Array;
}

interface IndexEntry extends Omit<SpokenScript, "pcm"> {
  samples: number;
}

const folder = path.join(import.meta.dirname, "set");
const indexFile = path.join(folder, "speech.json");
/** G.711 µ-law; the scripts in the order of the index. */
const audioFile = path.join(folder, "speech.ulaw");

export async function readSpokenScripts(): Promise<SpokenScript[]> {
  const index: IndexEntry[] = JSON.parse(await readFile(indexFile, "utf8"));
  const audio = decodePcmu(await readFile(audioFile));
  let at = 0;
  return index.map(({ samples, ...entry }) => {
    const pcm = audio.slice(at, at + samples);
    at += samples;
    return { ...entry, pcm };
  });
}

/** Synthesizes speech that the scripts need and the set lacks, and removes speech that no script needs. */
export async function makeSpokenScripts(modelsDir: string): Promise<void> {
  const known = await readSpokenScripts().catch(() => []);
  const engine = await loadKokoro({ modelsDir, lexicon: await loadLexicon() });
  const made: SpokenScript[] = [];
  for (const { id, parts, takes } of scripts) {
    for (const { voice, isInOneBreath } of takes) {
      const text = textOf(parts, isInOneBreath);
      const before = known.find((entry) => entry.voice === voice && entry.text === text);
      made.push({ ...(before ?? (await say(engine, voice, text))), script: id });
    }
  }
  await engine.close();
  await mkdir(folder, { recursive: true });
  await writeFile(audioFile, Buffer.concat(made.map(({ pcm }) => encodePcmu(pcm))));
  const index: IndexEntry[] = made.map(({ pcm, ...entry }) => ({ ...entry, samples: pcm.length }));
  await writeFile(indexFile, `[\n${index.map((entry) => JSON.stringify(entry)).join(",\n")}\n]\n`);
}

async function say(engine: SpeechEngine, voice: string, text: string): Promise<Omit<SpokenScript, "script">> {
  const pieces: Float32Array[] = [];
  const endsMs: number[] = [];
  let spokenMs = 0;
  const { signal } = new AbortController();
  for await (const { samples, wordEndsMs } of engine.synthesize(text, { voice, speed: 1 }, signal)) {
    for (const endMs of wordEndsMs) endsMs.push(spokenMs + endMs);
    spokenMs += (samples.length * 1000) / engine.sampleRateHz;
    pieces.push(samples);
  }
  const samples = pieces.flatMap((piece) => [...piece]);
  const pcm = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767);
  const telephone = new Resampler(engine.sampleRateHz, 8000).process(pcm);
  const { pcm: speech, cutSamples } = trimmed(telephone);
  const lengthMs = speech.length / SAMPLES_PER_MS;
  const wordEndsMs = endsMs.map((endMs) =>
    Math.round(Math.max(0, Math.min(lengthMs, endMs - cutSamples / SAMPLES_PER_MS))),
  );
  return { voice, text, wordEndsMs, pcm: normalized(speech) };
}
