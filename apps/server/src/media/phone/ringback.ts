import type { AudioEnd } from "./audio-bridge.ts";

const FRAME_MS = 20;
/** The ringing tone of most countries (ITU-T E.180): one second of 425 Hz, four seconds of silence. */
const TONE_HZ = 425;
const TONE_MS = 1_000;
const PERIOD_MS = 5_000;
/** About -20 dB below full scale. */
const AMPLITUDE = 3_000;
/** At its ends the tone grows and fades, so that it does not click. */
const FADE_MS = 10;

/** What a caller hears while another telephone rings. */
export function createRingback(sampleRateHz: number): AudioEnd {
  const frame = new Int16Array((FRAME_MS * sampleRateHz) / 1000);
  let atMs = 0;
  return {
    hear: () => {},
    dtmf: () => {},
    nextFrame: () => {
      const beganMs = atMs;
      atMs = (atMs + FRAME_MS) % PERIOD_MS;
      if (beganMs >= TONE_MS) return undefined;
      for (let index = 0; index < frame.length; index++) {
        const ms = beganMs + (index * 1000) / sampleRateHz;
        const loudness = Math.min(1, ms / FADE_MS, (TONE_MS - ms) / FADE_MS);
        frame[index] = loudness * AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * ms) / 1000);
      }
      return frame;
    },
  };
}
