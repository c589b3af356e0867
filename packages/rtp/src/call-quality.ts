/**
 * Estimated speech quality after a network, on the listening scale from 1 (bad) to 4.5: the E-model (ITU-T G.107)
 * with default values for every parameter except delay and loss, as in RFC 3611 §4.7.5 and most monitors. Useful
 * to compare calls; it ignores echo, noise and the voice itself.
 */
interface SpeechPath {
  /** One-way delay from mouth to ear: network, packet length and jitter buffer. */
  delayMs: number;
  /** Fraction of packets that were not played, 0 to 1. */
  lossFraction: number;
}

/** R of a perfect connection: the defaults of G.107 §7.7 minus the simultaneous impairments. */
const MAX_RATING = 93.2;
/** G.107 §7.4, in its usual simplification: each millisecond costs a little, and more above this limit. */
const DELAY_FACTOR_PER_MS = 0.024;
const TALK_DELAY_MS = 177.3;
const TALK_DELAY_FACTOR_PER_MS = 0.11;
/** G.711 with concealment (G.113 Appendix I); G.722 uses the same narrowband scale. */
const CODEC_IMPAIRMENT = 0;
const LOSS_ROBUSTNESS_PERCENT = 25.1;
/** The maximum impairment by loss (G.107 §7.5). */
const MAX_LOSS_IMPAIRMENT = 95;
const MAX_MOS = 4.5;

/** Mean opinion score, 1 to 4.5, with two decimal places. */
export function estimateMos({ delayMs, lossFraction }: SpeechPath): number {
  const delay =
    DELAY_FACTOR_PER_MS * delayMs + TALK_DELAY_FACTOR_PER_MS * Math.max(0, delayMs - TALK_DELAY_MS);
  const lossPercent = 100 * Math.min(1, Math.max(0, lossFraction));
  const loss =
    CODEC_IMPAIRMENT +
    ((MAX_LOSS_IMPAIRMENT - CODEC_IMPAIRMENT) * lossPercent) / (lossPercent + LOSS_ROBUSTNESS_PERCENT);
  return toMos(MAX_RATING - delay - loss);
}

/** G.107 Annex B. */
function toMos(rating: number): number {
  if (rating <= 0) return 1;
  if (rating >= 100) return MAX_MOS;
  const mos = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.round(Math.max(1, mos) * 100) / 100;
}
