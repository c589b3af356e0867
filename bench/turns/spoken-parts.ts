import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { decodePcmu, encodePcmu, Resampler } from "@parley/audio";
import { loadKokoro, loadLexicon, type SpeechEngine } from "@parley/providers";
import { scripts } from "./phrases.ts";
import { normalised, trimmed } from "./sounds.ts";

/** One part of a script in one voice; 8 kHz, no silence round it. */
export interface SpokenPart {
  script: string;
  part: number;
  voice: string;
  text: string;
  pcm: Int16Array;
}

interface IndexEntry extends Omit<SpokenPart, "pcm"> {
  samples: number;
}

const folder = path.join(import.meta.dirname, "set");
const indexFile = path.join(folder, "speech.json");
/** G.711 µ-law, the parts of the index one after the other. */
const audioFile = path.join(folder, "speech.ulaw");

export async function readSpokenParts(): Promise<SpokenPart[]> {
  const index: IndexEntry[] = JSON.parse(await readFile(indexFile, "utf8"));
  const audio = decodePcmu(await readFile(audioFile));
  let at = 0;
  return index.map(({ samples, ...entry }) => {
    const pcm = audio.slice(at, at + samples);
    at += samples;
    return { ...entry, pcm };
  });
}

/** Synthesises what the scripts want said and the set does not hold yet, and forgets what they no longer want. */
export async function makeSpokenParts(modelsDir: string): Promise<void> {
  const known = await readSpokenParts().catch(() => []);
  const wanted = scripts.flatMap(({ id, parts, voices }) =>
    voices.flatMap((voice) => parts.map((text, part) => ({ script: id, part, voice, text }))),
  );
  const engine = await loadKokoro({ modelsDir, lexicon: await loadLexicon() });
  const made: SpokenPart[] = [];
  for (const { script, part, voice, text } of wanted) {
    const before = known.find((entry) => entry.voice === voice && entry.text === text);
    const pcm = before?.pcm ?? (await say(engine, voice, text));
    made.push({ script, part, voice, text, pcm });
  }
  await engine.close();
  await mkdir(folder, { recursive: true });
  await writeFile(audioFile, Buffer.concat(made.map(({ pcm }) => encodePcmu(pcm))));
  const index: IndexEntry[] = made.map(({ pcm, ...entry }) => ({ ...entry, samples: pcm.length }));
  await writeFile(indexFile, `${JSON.stringify(index, null, 2)}\n`);
}

async function say(engine: SpeechEngine, voice: string, text: string): Promise<Int16Array> {
  const pieces: Float32Array[] = [];
  const { signal } = new AbortController();
  for await (const piece of engine.synthesize(text, { voice, speed: 1 }, signal)) {
    pieces.push(piece);
  }
  const samples = pieces.flatMap((piece) => [...piece]);
  const pcm = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767);
  return normalised(trimmed(new Resampler(engine.sampleRateHz, 8000).process(pcm)));
}
