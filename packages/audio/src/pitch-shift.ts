import { TimeStretcher } from "./time-stretcher.ts";

/**
 * Changes the pitch of speech, and with it the timbre, by a factor (0.5–2); the length stays. The sound is stretched by the
 * factor, then read faster or slower.
 */
export function shiftPitch(pcm: Int16Array, sampleRateHz: number, factor: number): Int16Array {
  if (factor === 1 || pcm.length === 0) return pcm;
  const stretcher = new TimeStretcher(sampleRateHz, 1 / factor);
  const head = stretcher.process(pcm);
  const tail = stretcher.flush();
  const stretched = new Int16Array(head.length + tail.length);
  stretched.set(head);
  stretched.set(tail, head.length);
  return readAt(stretched, factor, pcm.length);
}

/** Reads samples at multiples of a step, between them by a cubic (Catmull–Rom). */
function readAt(pcm: Int16Array, step: number, length: number): Int16Array {
  const out = new Int16Array(length);
  for (let at = 0; at < length; at++) {
    const position = at * step;
    const index = Math.floor(position);
    const t = position - index;
    const [a, b, c, d] = [pcm[index - 1] ?? 0, pcm[index] ?? 0, pcm[index + 1] ?? 0, pcm[index + 2] ?? 0];
    const value = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    out[at] = Math.max(-32_768, Math.min(32_767, Math.round(value)));
  }
  return out;
}
