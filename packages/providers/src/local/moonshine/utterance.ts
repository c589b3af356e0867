/** A window this long decides how quiet a place is: about as long as the stop before a plosive. */
const quietWindowMs = 100;

/** The middle of the quietest tenth of a second from `from` on, as a sample's index: where a word is least likely. */
export function quietestPlace(pcm: Int16Array, from: number, sampleRateHz: number): number {
  const window = (sampleRateHz * quietWindowMs) / 1000;
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
