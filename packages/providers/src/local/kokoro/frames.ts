/** Frames, of 25 ms each, from one to before another. */
export interface FrameRange {
  from: number;
  to: number;
}

/** Frames kept before the first sound, which begins up to two frames early. */
const LEAD_FRAMES = 4;
/** The last sound is given the silence after it too; so many frames of it are sound. */
const LAST_SOUND_FRAMES = 10;
/** The first part is about so long: half a second to a second, with the silence before it. */
const FIRST_PART = { min: 20, max: 40 };
/** A phrase of which less would remain is made whole in about the same time, and sounds better. */
const MIN_REST = 32;
/** The rest is made in a third of its length: with a quarter of the phrase to play until then it is there in time. */
const FIRST_SHARE = 0.25;
/**
 * The frames worth making into sound. The model spends near half of a short phrase on the silence round it, and
 * that silence takes as long to make as speech.
 *
 * @param durations frames of every token, the padding at both ends among them.
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
 * Parts a phrase between two words, so that its beginning is heard while the rest is made.
 *
 * @param ends frames between two words, ascending.
 */
export function partFrames({ from, to }: FrameRange, ends: readonly number[]): FrameRange[] {
  const min = Math.max(FIRST_PART.min, Math.ceil((to - from) * FIRST_SHARE));
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
  // The first duration is the padding's.
  let at = durations[0] ?? 0;
  for (const [index, id] of ids.entries()) {
    const count = durations[index + 1] ?? 0;
    if (id === spaceId) ends.push(at + Math.floor(count / 2));
    at += count;
  }
  return ends;
}
