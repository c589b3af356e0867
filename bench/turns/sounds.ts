/** Sounds of a call at 8 kHz, made from nothing but seeded numbers, and what mixing them takes. */

export const SAMPLE_RATE_HZ = 8000;
export const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000;
/** Level that speech is normalized to: about −24 dBFS while the person speaks. */
const SPEECH_RMS = 2000;
const WINDOW_SAMPLES = 80;
/** Synthesized speech ends when a window falls below this share of the loudest one. */
const EDGE_SHARE = 0.02;
const FADE_SAMPLES = 64;

type Random = () => number;

export function rms(pcm: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < pcm.length; at++) sum += (pcm[at] ?? 0) ** 2;
  return pcm.length === 0 ? 0 : Math.sqrt(sum / pcm.length);
}

function windowLevels(pcm: Int16Array): number[] {
  const levels: number[] = [];
  for (let at = 0; at < pcm.length; at += WINDOW_SAMPLES)
    levels.push(rms(pcm.subarray(at, at + WINDOW_SAMPLES)));
  return levels;
}

/** Removes the silence before and after; `cutSamples` is the length of that before. */
export function trimmed(pcm: Int16Array, edgeShare = EDGE_SHARE): { pcm: Int16Array; cutSamples: number } {
  const levels = windowLevels(pcm);
  const edge = Math.max(...levels) * edgeShare;
  const first = levels.findIndex((level) => level >= edge);
  const last = levels.findLastIndex((level) => level >= edge);
  const cutSamples = first * WINDOW_SAMPLES;
  return { pcm: pcm.slice(cutSamples, (last + 1) * WINDOW_SAMPLES), cutSamples };
}

/** Fades both ends, because audio cut from the middle of a recording would click. */
export function faded(pcm: Int16Array): Int16Array {
  return pcm.map(
    (sample, at) => sample * Math.min(1, (at + 1) / FADE_SAMPLES, (pcm.length - at) / FADE_SAMPLES),
  );
}

/** Normalizes to the level of speech, ignoring pauses. */
export function normalized(pcm: Int16Array): Int16Array {
  const levels = windowLevels(pcm);
  const loudest = Math.max(...levels);
  const active = levels.filter((level) => level > loudest * 0.1);
  return scaled(pcm, SPEECH_RMS / Math.max(1, rms(active)));
}

export function scaled(pcm: Int16Array, gain: number): Int16Array {
  return Int16Array.from(pcm, (sample) => Math.max(-32_768, Math.min(32_767, sample * gain)));
}

export function addInto(target: Int16Array, at: number, pcm: Int16Array): void {
  for (let i = 0; i < pcm.length && at + i < target.length; i++) {
    const sum = (target[at + i] ?? 0) + (pcm[i] ?? 0);
    target[at + i] = Math.max(-32_768, Math.min(32_767, sum));
  }
}

const gaussian = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Hiss of a room, darker than white noise. */
export function roomNoise(samples: number, level: number, random: Random): Int16Array {
  const noise = new Float64Array(samples);
  let low = 0;
  for (let i = 0; i < samples; i++) {
    low = 0.85 * low + 0.15 * gaussian(random);
    noise[i] = low + 0.08 * gaussian(random);
  }
  const gain = level / Math.max(1e-9, rms(noise));
  return Int16Array.from(noise, (sample) => sample * gain);
}

/** Several people talking in the background, with the hiss of the room. */
export function babble(
  samples: number,
  level: number,
  voices: readonly Int16Array[],
  random: Random,
): Int16Array {
  const mixed = roomNoise(samples, SPEECH_RMS * 0.3, random);
  for (let speaker = 0; speaker < 6; speaker++) {
    for (let at = -Math.floor(random() * 8000); at < samples;) {
      const voice = voices[Math.floor(random() * voices.length)];
      if (voice === undefined) break;
      const part = scaled(at < 0 ? voice.subarray(-at) : voice, 0.5);
      addInto(mixed, Math.max(0, at), part);
      at += voice.length + Math.floor(random() * 4000);
    }
  }
  return scaled(mixed, level / Math.max(1, rms(mixed)));
}

/** One to three bursts of breath with a sharp start, like a cough. */
export function cough(random: Random): Int16Array {
  const bursts = 1 + Math.floor(random() * 3);
  const pcm = new Int16Array(bursts * 360 * SAMPLES_PER_MS);
  for (let burst = 0; burst < bursts; burst++) {
    const lengthMs = 140 + random() * 120;
    const pitchHz = 90 + random() * 120;
    let low = 0;
    for (let i = 0; i < lengthMs * SAMPLES_PER_MS; i++) {
      const ms = i / SAMPLES_PER_MS;
      const envelope = Math.min(1, ms / 8) * Math.exp(-ms / 60);
      const rough = Math.sin((2 * Math.PI * pitchHz * ms) / 1000) * 0.4;
      low = 0.55 * low + 0.45 * (gaussian(random) + rough);
      pcm[burst * 360 * SAMPLES_PER_MS + i] = Math.max(-32_000, Math.min(32_000, low * envelope * 14_000));
    }
  }
  return pcm;
}

/** Clicks, as of a pen or an object put down. */
export function clicks(random: Random): Int16Array {
  return bursts(2 + Math.floor(random() * 3), 150, 700, 4, 9000, random);
}

/** Typing on a keyboard. */
export function typing(random: Random): Int16Array {
  return bursts(12 + Math.floor(random() * 12), 70, 220, 9, 3500, random);
}

function bursts(
  count: number,
  shortestGapMs: number,
  longestGapMs: number,
  decayMs: number,
  peak: number,
  random: Random,
): Int16Array {
  const starts: number[] = [];
  let atMs = 0;
  for (let i = 0; i < count; i++) {
    starts.push(atMs);
    atMs += shortestGapMs + random() * (longestGapMs - shortestGapMs);
  }
  const pcm = new Int16Array(Math.ceil((atMs + 60) * SAMPLES_PER_MS));
  for (const startMs of starts) {
    const from = Math.floor(startMs * SAMPLES_PER_MS);
    const loudness = peak * (0.5 + random() / 2);
    for (let i = 0; i < 50 * SAMPLES_PER_MS; i++) {
      const envelope = Math.exp(-i / (decayMs * SAMPLES_PER_MS));
      pcm[from + i] = Math.max(-32_000, Math.min(32_000, gaussian(random) * envelope * loudness));
    }
  }
  return pcm;
}
