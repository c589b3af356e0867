const SAMPLE_RATE_HZ = 8000;
const FRAME_SAMPLES = 160;
const SPEECH_POWER = 180 ** 2;
/** A pause of this length separates two segments. */
const PAUSE_FRAMES = 35;
/** Recognizers need some silence around speech. */
const MARGIN_FRAMES = 15;
/** Limit of the recognizer's input. */
const MAX_SAMPLES = 25 * SAMPLE_RATE_HZ;

/** Returns the segments of a recording (8 kHz) that contain speech, with a little silence around each. */
export function speechSegments(pcm: Int16Array): Int16Array[] {
  const segments: { first: number; last: number }[] = [];
  const frames = Math.floor(pcm.length / FRAME_SAMPLES);
  for (let frame = 0; frame < frames; frame++) {
    if (powerOf(pcm.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES)) < SPEECH_POWER) continue;
    const current = segments.at(-1);
    if (current !== undefined && frame - current.last <= PAUSE_FRAMES) current.last = frame;
    else segments.push({ first: frame, last: frame });
  }
  return segments.map(({ first, last }) => {
    const from = Math.max(0, first - MARGIN_FRAMES) * FRAME_SAMPLES;
    return pcm.slice(from, Math.min((last + MARGIN_FRAMES) * FRAME_SAMPLES, from + MAX_SAMPLES));
  });
}

function powerOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return sum / Math.max(1, pcm.length);
}
