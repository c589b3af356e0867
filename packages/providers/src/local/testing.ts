/** Recordings of people for the tests of the local engines. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { decodePcmu, encodePcmu, readWav, Resampler } from "@parley/audio";

const folder = path.resolve(import.meta.dirname, "../../../../bench/recordings");

/** Samples of a recording (see its manifest), mono, 16 kHz. */
export async function readRecording(name: string): Promise<Int16Array> {
  return readWav(await readFile(path.join(folder, `${name}.wav`))).pcm;
}

/** The same as received over a telephone line: 8 kHz, through G.711. */
export function overTelephone(pcm16k: Int16Array): Int16Array {
  return decodePcmu(encodePcmu(new Resampler(16_000, 8000).process(pcm16k)));
}
