import { readFile } from "node:fs/promises";
import path from "node:path";
import { decodePcmu, encodePcmu, readWav, Resampler } from "@parley/audio";
import { normalizeWords } from "./word-errors.ts";

/** Recording of a person from bench/recordings. */
export interface Recording {
  file: string;
  words: readonly string[];
  /** 16 kHz. */
  clean: Int16Array;
  /** 8 kHz, passed through G.711. */
  telephone: Int16Array;
}

const folder = path.join(import.meta.dirname, "..", "recordings");

export async function readRecordings(): Promise<Recording[]> {
  const manifest: { recordings: { file: string; text: string }[] } = JSON.parse(
    await readFile(path.join(folder, "manifest.json"), "utf8"),
  );
  return await Promise.all(
    manifest.recordings.map(async ({ file, text }) => {
      const clean = readWav(await readFile(path.join(folder, file))).pcm;
      const telephone = decodePcmu(encodePcmu(new Resampler(16_000, 8000).process(clean)));
      return { file, words: normalizeWords(text), clean, telephone };
    }),
  );
}
