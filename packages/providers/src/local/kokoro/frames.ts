/** Frames of 25 ms, from `from` up to but not including `to`. */
export interface FrameRange {
  from: number;
  to: number;
}

/** Frames kept before the first sound, which begins up to two frames early. */
const LEAD_FRAMES = 4;
/** Frames of the last token that are sound; its duration includes the silence after it. */
const LAST_SOUND_FRAMES = 10;
/** Length of the first part: half a second to a second, including the silence before it. */
const FIRST_PART = { min: 20, max: 40 };
/** Minimum length of the rest. A phrase with less is synthesized whole in about the same time, and sounds better. */
const MIN_REST = 32;

/**
 * The frames to synthesize. The model spends nearly half of a short phrase on the silence around it, which takes as
 * long as speech.
 *
 * @param durations Frames of every token, including the padding at both ends.
 */
export function speechFrames(durations: Float32Array, total: number, hasMark: boolean): FrameRange {
  const closing = hasMark ? 2 : 1;
  const silentEnd = durations.subarray(durations.length - closing).reduce((sum, count) => sum + count, 0);
  const lastSound = durations.at(-closing - 1) ?? 0;
  const from = Math.max(0, (durations[0] ?? 0) - LEAD_FRAMES);
  const to = total - silentEnd - Math.max(0, lastSound - LAST_SOUND_FRAMES);
  return to > from ? { from, to } : { from: 0, to: total };
}

/**
 * Splits a phrase between two words, so that its beginning plays while the rest is synthesized.
 *
 * @param ends Frames between two words, ascending.
 * @param firstShare Minimum share (0–1) of the first part: it plays until the rest is ready.
 */
export function partFrames(
  { from, to }: FrameRange,
  ends: readonly number[],
  firstShare: number,
): FrameRange[] {
  const min = Math.max(FIRST_PART.min, Math.ceil((to - from) * firstShare));
  const max = Math.max(FIRST_PART.max, 2 * min);
  const seam = ends.find((end) => end >= from + min && end <= from + max && to - end >= MIN_REST);
  return seam === undefined
    ? [{ from, to }]
    : [
        { from, to: seam },
        { from: seam, to },
      ];
}

/** The frames in the middle of each space between words. */
export function wordEnds(durations: Float32Array, ids: readonly number[], spaceId: number): number[] {
  const ends: number[] = [];
  // The first duration is that of the padding.
  let at = durations[0] ?? 0;
  for (const [index, id] of ids.entries()) {
    const count = durations[index + 1] ?? 0;
    if (id === spaceId) ends.push(at + Math.floor(count / 2));
    at += count;
  }
  return ends;
}
