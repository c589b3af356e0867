/** ITU-T Q.23: a key consists of one row frequency and one column frequency. */
const ROWS_HZ = [697, 770, 852, 941] as const;
const COLUMNS_HZ = [1209, 1336, 1477, 1633] as const;
const KEYS = "123A456B789C*0#D";

/** Accepted by exchanges of every country (ITU-T Q.24 requires 40 to 65 ms). */
const TONE_MS = 100;
const PAUSE_MS = 100;
/** Duration of `w` in dial strings. */
const WAIT_MS = 500;
/** -9 and -7 dBm0: the column is 2 dB louder, as in telephones, because lines attenuate it more. */
const ROW_AMPLITUDE = 8_070;
const COLUMN_AMPLITUDE = 10_160;
/** Avoids clicks at both ends. */
const FADE_MS = 5;

/**
 * Renders the tones of keys pressed one after another: 100 ms of tone and 100 ms of pause each.
 *
 * @param keys 0–9, *, #, A–D; `w` pauses for half a second.
 * @throws {RangeError} if `keys` contains another character.
 */
export function renderDtmf(keys: string, sampleRateHz: number): Int16Array {
  const samplesOf = (ms: number): number => Math.round((ms * sampleRateHz) / 1000);
  const parts = keys.split("").map((key) => {
    if (key === "w") return new Int16Array(samplesOf(WAIT_MS));
    const part = new Int16Array(samplesOf(TONE_MS + PAUSE_MS));
    part.set(renderKey(key, samplesOf(TONE_MS), sampleRateHz));
    return part;
  });
  const pcm = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    pcm.set(part, offset);
    offset += part.length;
  }
  return pcm;
}

function renderKey(key: string, samples: number, sampleRateHz: number): Int16Array {
  const index = KEYS.indexOf(key);
  const rowHz = ROWS_HZ[Math.floor(index / 4)];
  const columnHz = COLUMNS_HZ[index % 4];
  if (rowHz === undefined || columnHz === undefined) {
    throw new RangeError(`keys must be 0-9, *, #, A-D or w, but got ${JSON.stringify(key)}`);
  }
  const fade = (FADE_MS * sampleRateHz) / 1000;
  return Int16Array.from({ length: samples }, (_, at) => {
    const radians = (2 * Math.PI * at) / sampleRateHz;
    const gain = Math.min(1, at / fade, (samples - at) / fade);
    return (
      gain * (ROW_AMPLITUDE * Math.sin(rowHz * radians) + COLUMN_AMPLITUDE * Math.sin(columnHz * radians))
    );
  });
}
