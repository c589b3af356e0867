/** Longer recordings would take more than 100 MB of memory to decode. */
export const MAX_WAVEFORM_MS = 30 * 60_000;

const SAMPLE_RATE_HZ = 8_000;
/** More than a wide screen has pixels. */
const PEAKS_PER_CHANNEL = 2_000;

export interface Peaks {
  /** Loudest samples of equal parts, one array per side; 1 is the loudest one of both. */
  channels: number[][];
  durationSeconds: number;
}

/** Fetches and decodes a recording, and keeps only its outline. */
export async function loadPeaks(url: string, signal: AbortSignal): Promise<Peaks> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`The recording cannot be loaded (${response.status}).`);
  const context = new OfflineAudioContext(2, 1, SAMPLE_RATE_HZ);
  const sound = await context.decodeAudioData(await response.arrayBuffer());
  const channels = Array.from({ length: sound.numberOfChannels }, (_, channel) =>
    outlineOf(sound.getChannelData(channel), PEAKS_PER_CHANNEL),
  );
  return { channels: inProportion(channels), durationSeconds: sound.duration };
}

/** Loudness below which a recording counts as silent: the codec lets a little of one side into the other. */
const SILENT_PEAK = 0.02;

/** Scales both sides by the louder one, so that a silent side looks silent. */
export function inProportion(channels: readonly (readonly number[])[]): number[][] {
  const loudest = channels.flat().reduce((most, peak) => Math.max(most, peak), SILENT_PEAK);
  return channels.map((peaks) => peaks.map((peak) => peak / loudest));
}

/** The loudest sample of each of `parts` equal parts; of all samples if they are fewer. */
export function outlineOf(samples: Readonly<Float32Array>, parts: number): number[] {
  const count = Math.min(parts, samples.length);
  return Array.from({ length: count }, (_, part) => {
    const end = Math.floor(((part + 1) * samples.length) / count);
    let loudest = 0;
    for (let at = Math.floor((part * samples.length) / count); at < end; at++)
      loudest = Math.max(loudest, Math.abs(samples[at] ?? 0));
    return loudest;
  });
}
