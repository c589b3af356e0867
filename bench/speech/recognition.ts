import { Resampler } from "@parley/audio";
import { loadMoonshine, type MoonshineSize } from "@parley/providers";
import { sumOf } from "../support/statistics.ts";
import { countWordErrors, normalizeWords } from "./word-errors.ts";
import { cpuSecondsOf } from "./cpu.ts";
import type { Recording } from "./recordings.ts";

export interface RecognitionRow {
  model: string;
  words: number;
  /** Word error rates, 0–1. */
  werClean: number;
  werTelephone: number;
  rtf: number;
}

/** Word errors and cost of one model over all recordings, clean and at telephone quality. */
export async function measureRecognition(
  modelsDir: string,
  size: MoonshineSize,
  recordings: readonly Recording[],
): Promise<RecognitionRow> {
  const model = await loadMoonshine({ modelsDir, size });
  await model.warmUp();
  const { signal } = new AbortController();
  const errors = { clean: 0, telephone: 0 };
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (const { words, clean, telephone } of recordings) {
      const heardClean = await model.transcribe(clean, signal);
      errors.clean += countWordErrors(words, normalizeWords(heardClean.text));
      const heardTelephone = await model.transcribe(new Resampler(8000, 16_000).process(telephone), signal);
      errors.telephone += countWordErrors(words, normalizeWords(heardTelephone.text));
    }
  });
  await model.close();
  const words = sumOf(recordings.map((recording) => recording.words.length));
  const seconds = 2 * sumOf(recordings.map(({ clean }) => clean.length / 16_000));
  return {
    model: model.name,
    words,
    werClean: errors.clean / words,
    werTelephone: errors.telephone / words,
    rtf: cpuSeconds / seconds,
  };
}
