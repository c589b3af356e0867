/** Window for the level of a place: about as long as the stop before a plosive. */
const QUIET_WINDOW_MS = 100;

/** The middle of the quietest tenth of a second after `from`, as a sample index, where a word is least likely. */
export function quietestPlace(pcm: Int16Array, from: number, sampleRateHz: number): number {
  const window = (sampleRateHz * QUIET_WINDOW_MS) / 1000;
  const step = window / 2;
  let quietest = Number.POSITIVE_INFINITY;
  let place = pcm.length;
  for (let start = from; start + window <= pcm.length; start += step) {
    let energy = 0;
    for (const sample of pcm.subarray(start, start + window)) energy += sample * sample;
    if (energy < quietest) {
      quietest = energy;
      place = start + step;
    }
  }
  return place;
}
