import { loadSilero } from "@parley/providers";
import { cpuSecondsOf } from "./cpu.ts";

export interface VoiceActivityRow {
  /** Number of streams processed together. */
  streams: number;
  rtf: number;
}

/** Feeds windows of 32 ms to all streams at once and waits for each round, like the media wheel. */
export async function measureVoiceActivity(
  modelsDir: string,
  streams: number,
  pcm: Int16Array,
): Promise<VoiceActivityRow> {
  const vad = await loadSilero({
    modelsDir,
    onFailure: (error) => {
      throw error;
    },
  });
  let written = 0;
  let unheard = 0;
  let onRoundHeard = (): void => {};
  const onProbability = (): void => {
    unheard -= 1;
    if (unheard === 0) onRoundHeard();
  };
  const open = Array.from({ length: streams }, () => vad.open({ sampleRateHz: 8000, onProbability }));
  const window = 256;
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (let at = 0; at + window <= pcm.length; at += window) {
      const round = Promise.withResolvers<void>();
      onRoundHeard = round.resolve;
      unheard = streams;
      written += streams;
      for (const stream of open) stream.write(pcm.subarray(at, at + window));
      await round.promise;
    }
  });
  for (const stream of open) stream.close();
  await vad.close();
  return { streams, rtf: cpuSeconds / (written * 0.032) };
}
