/** Speech level of telephone prompts: −20 dBFS, over windows with speech. */
const TARGET_RMS = 0.1;
const WINDOW_SAMPLES = 240;
/** Windows this far below the loudest (−30 dB) are pauses and do not count. */
const ACTIVE_PART = 0.0316;
const MAX_GAIN = 8;
/** Level from which peaks are compressed instead of clipped. */
const KNEE = 0.7;

/** Root mean square (0–1) of the windows with speech; 0 for silence. */
export function activeSpeechLevel(samples: Float32Array): number {
  const energies: number[] = [];
  for (let start = 0; start < samples.length; start += WINDOW_SAMPLES) {
    let energy = 0;
    const end = Math.min(samples.length, start + WINDOW_SAMPLES);
    for (let at = start; at < end; at++) {
      energy += (samples[at] ?? 0) ** 2;
    }
    energies.push(energy / (end - start));
  }
  const loudest = energies.reduce((most, energy) => Math.max(most, energy), 0);
  const active = energies.filter((energy) => energy > 0 && energy >= loudest * ACTIVE_PART ** 2);
  return active.length === 0 ? 0 : Math.sqrt(active.reduce((sum, energy) => sum + energy, 0) / active.length);
}

function limit(sample: number): number {
  const size = Math.abs(sample);
  if (size <= KNEE) {
    return sample;
  }
  return Math.sign(sample) * (KNEE + (1 - KNEE) * Math.tanh((size - KNEE) / (1 - KNEE)));
}

/** Converts speech (±1) to −20 dBFS and 16 bits; peaks are limited, never clipped. Silence stays silence. */
export function toTelephoneLevel(samples: Float32Array): Int16Array {
  const level = activeSpeechLevel(samples);
  const gain = level === 0 ? 1 : Math.min(MAX_GAIN, TARGET_RMS / level);
  const pcm = new Int16Array(samples.length);
  for (let at = 0; at < samples.length; at++) {
    pcm[at] = Math.round(limit((samples[at] ?? 0) * gain) * 32767);
  }
  return pcm;
}
