const FRAME_MS = 10;
/** Smoothing of the envelope: shorter than a syllable. */
const SMOOTHING_FRAMES = 5;
/** A syllable is this much louder than the dips around it. */
const DIP_DB = 2;
/** Peaks this far below the loudest are no syllables. */
const QUIET_DB = 25;
/** Quieter than this is silence. */
const FLOOR_DB = -60;

/**
 * Estimates syllables per second of speech by counting peaks of loudness between dips (N. de Jong, T. Wempe, 2009). Pauses
 * do not count. 0 without speech.
 *
 * @param samples ±1.
 */
export function speechRate(samples: Float32Array, sampleRateHz: number): number {
  const levels = smooth(frameLevels(samples, Math.round((sampleRateHz * FRAME_MS) / 1000)));
  const loudest = levels.reduce((most, level) => Math.max(most, level), FLOOR_DB);
  const threshold = Math.max(FLOOR_DB + 1, loudest - QUIET_DB);
  const speechFrames = levels.filter((level) => level >= threshold).length;
  if (speechFrames === 0) return 0;
  let syllables = 0;
  let peak = -Infinity;
  let dip = Infinity;
  let isRising = true;
  for (const level of [...levels, FLOOR_DB]) {
    if (isRising) {
      peak = Math.max(peak, level);
      if (level > peak - DIP_DB) continue;
      if (peak >= threshold) syllables += 1;
      isRising = false;
      dip = level;
    } else {
      dip = Math.min(dip, level);
      if (level < dip + DIP_DB) continue;
      isRising = true;
      peak = level;
    }
  }
  return syllables / ((speechFrames * FRAME_MS) / 1000);
}

function frameLevels(samples: Float32Array, frame: number): Float64Array {
  return Float64Array.from({ length: Math.floor(samples.length / frame) }, (_, index) => {
    let energy = 0;
    for (let at = index * frame; at < (index + 1) * frame; at++) energy += (samples[at] ?? 0) ** 2;
    return Math.max(FLOOR_DB, 10 * Math.log10(energy / frame + 1e-12));
  });
}

function smooth(levels: Float64Array): Float64Array {
  const reach = Math.floor(SMOOTHING_FRAMES / 2);
  return levels.map((_, index) => {
    const near = levels.subarray(Math.max(0, index - reach), index + reach + 1);
    return near.reduce((sum, level) => sum + level, 0) / near.length;
  });
}
