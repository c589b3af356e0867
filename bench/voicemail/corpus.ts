import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { decodePcmu, encodePcmu, Resampler } from "@parley/audio";
import { loadDittli, loadKokoro, loadLexicon, type SpeechEngine } from "@parley/providers";
import { normalized, trimmed } from "../turns/sounds.ts";
import { type SetName, type SpokenText, texts } from "./texts.ts";

/** Outside of the repository: it can be made again at any time. */
export const cacheFolder = path.join(homedir(), ".cache", "parley", "voicemail-bench");

/** A text in one voice at 8 kHz, without silence around it. */
export interface Clip extends SpokenText {
  voice: string;
  pcm: Int16Array;
}

/** Greetings end with the phrase in which they reach this length: the verdict comes before. */
const LONG_ENOUGH_SECONDS = 4;
/** Takes of a person's text by Kokoro's voices; a machine's text has one, because synthesis takes as long as the speech. */
const TAKES = 2;

/** The clips of these sets; those that are not in the cache are synthesized, which takes some ten minutes on one core. */
export async function readCorpus(modelsDir: string, sets: readonly SetName[]): Promise<Clip[]> {
  await mkdir(cacheFolder, { recursive: true });
  const engines = new Engines(modelsDir);
  const clips: Clip[] = [];
  for (const [index, each] of texts.entries()) {
    if (!sets.includes(each.set)) continue;
    for (const voice of voicesFor(each, index)) {
      const file = path.join(cacheFolder, `${digest(`${voice} ${each.text}`)}.ulaw`);
      const known = await readFile(file).catch(() => undefined);
      const pcm = known === undefined ? await engines.say(voice, each.text) : decodePcmu(known);
      if (known === undefined) {
        await writeFile(`${file}.new`, encodePcmu(pcm));
        await rename(`${file}.new`, file);
        console.error(`synthesized ${index + 1} of ${texts.length}: ${voice}, ${each.text}`);
      }
      clips.push({ ...each, voice, pcm });
    }
  }
  await engines.close();
  return clips;
}

function voicesFor({ by, voices }: SpokenText, index: number): string[] {
  const takes = by === "human" ? TAKES : 1;
  const kokoro = Array.from(
    { length: takes },
    (_, take) => `kokoro/${voices[(index + take * 3) % voices.length] ?? ""}`,
  );
  return [...kokoro, "dittli/male"];
}

class Engines {
  readonly #modelsDir: string;
  readonly #open = new Map<string, Promise<SpeechEngine>>();

  constructor(modelsDir: string) {
    this.#modelsDir = modelsDir;
  }

  async say(id: string, text: string): Promise<Int16Array> {
    const [name = "", voice = ""] = id.split("/");
    const opening = this.#open.get(name) ?? this.#load(name);
    this.#open.set(name, opening);
    const engine = await opening;
    const pieces: Float32Array[] = [];
    const enough = new AbortController();
    let samplesSpoken = 0;
    for await (const { samples } of engine.synthesize(text, { voice, speed: 1 }, enough.signal)) {
      pieces.push(samples);
      samplesSpoken += samples.length;
      if (samplesSpoken >= LONG_ENOUGH_SECONDS * engine.sampleRateHz) break;
    }
    enough.abort();
    const pcm = Int16Array.from(
      pieces.flatMap((piece) => [...piece]),
      (sample) => Math.max(-1, Math.min(1, sample)) * 32_767,
    );
    const telephone = new Resampler(engine.sampleRateHz, 8000).process(pcm);
    return normalized(trimmed(telephone).pcm);
  }

  async close(): Promise<void> {
    for (const engine of this.#open.values()) await (await engine).close();
  }

  async #load(name: string): Promise<SpeechEngine> {
    const options = { modelsDir: this.#modelsDir, lexicon: await loadLexicon() };
    return name === "kokoro" ? await loadKokoro(options) : await loadDittli(options);
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
