/** A local voice with its pitch and pace changed, as one text: `kokoro/am_adam~1.12*0.95`. */
export interface ShapedVoice {
  /** Id of a local voice. */
  voice: string;
  /** Factor of the pitch. */
  pitch: number;
  /** Factor of the pace. */
  rate: number;
}

/** Beyond this range, voices stop sounding human. */
export const PITCH_RANGE = [0.7, 1.5] as const;
export const RATE_RANGE = [0.75, 1.3] as const;

const pattern = /^([^~]+)~(\d\.\d{1,3})\*(\d\.\d{1,3})$/;

export function formatShapedVoice({ voice, pitch, rate }: ShapedVoice): string {
  return `${voice}~${pitch.toFixed(3)}*${rate.toFixed(3)}`;
}

/** Reads a voice id; of a plain one both factors are 1. Factors outside their ranges are limited. */
export function parseShapedVoice(id: string): ShapedVoice {
  const [, voice, pitch, rate] = pattern.exec(id) ?? [];
  if (voice === undefined) return { voice: id, pitch: 1, rate: 1 };
  return { voice, pitch: within(Number(pitch), PITCH_RANGE), rate: within(Number(rate), RATE_RANGE) };
}

export function within(value: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, value));
}
