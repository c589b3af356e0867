/** An integer signal, the same on every machine: noise and a square wave that grow, clip and fall silent. */
export function testSignal(samples: number): Int16Array {
  let state = 1;
  let low = 0;
  return Int16Array.from({ length: samples }, (_, i) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    const noise = state >> 16;
    low += (noise - low) >> 3;
    const loudness = (i >> 9) % 12;
    const square = (i * (40 + (i >> 11))) & 0x1000 ? 3000 : -3000;
    const value = ((low + (noise >> 4) + square) * loudness) >> 2;
    return Math.max(-32_768, Math.min(32_767, value));
  });
}
