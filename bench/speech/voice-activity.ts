import { loadSilero } from "@parley/providers";
import { cpuSecondsOf } from "./cpu.ts";

export interface VoiceActivityRow {
  /** Streams heard together. */
  streams: number;
  rtf: number;
}

/** Feeds windows of 32 ms to all streams at once and waits for each round, as the media wheel does. */
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
  const windows = { written: 0, heard: 0 };
  const open = Array.from({ length: streams }, () =>
    vad.open({ sampleRateHz: 8000, onProbability: () => (windows.heard += 1) }),
  );
  const window = 256;
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (let at = 0; at + window <= pcm.length; at += window) {
      for (const stream of open) stream.write(pcm.subarray(at, at + window));
      windows.written += streams;
      while (windows.heard < windows.written) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  for (const stream of open) stream.close();
  await vad.close();
  return { streams, rtf: cpuSeconds / (windows.written * 0.032) };
}
