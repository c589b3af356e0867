/** A sine tone; mono, 16-bit. */
export function tone(
  durationMs: number,
  sampleRateHz: number,
  amplitude: number,
  frequencyHz = 300,
): Int16Array {
  const pcm = new Int16Array(Math.round((durationMs * sampleRateHz) / 1000));
  for (let i = 0; i < pcm.length; i++) {
    pcm[i] = Math.round(amplitude * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz));
  }
  return pcm;
}
