/** Duration of a spoken character. */
export const MS_PER_CHARACTER = 60;

const cache = new Map<string, string>();

/** Base64 of a 300 Hz tone; 60 ms is a whole number of its periods, so that chunks join without a click. */
export function createTone(durationMs: number, sampleRateHz: number): string {
  const key = `${durationMs}/${sampleRateHz}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const pcm = Int16Array.from({ length: (durationMs * sampleRateHz) / 1000 }, (_, index) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 300 * index) / sampleRateHz)),
  );
  const base64 = Buffer.from(pcm.buffer).toString("base64");
  cache.set(key, base64);
  return base64;
}
