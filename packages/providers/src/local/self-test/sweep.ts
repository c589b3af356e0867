/** A rising tone over a steady one with pauses in it, at 16 kHz; the reference values belong to it. */
export function sweep(samples: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, at) => {
    if (Math.floor(at / 4000) % 4 === 3) return 0;
    const seconds = at / 16_000;
    const rising = Math.sin(2 * Math.PI * (200 * seconds + 150 * seconds ** 2)) * 9000;
    return Math.round(rising + Math.sin(2 * Math.PI * 3100 * seconds) * 1500);
  });
}
