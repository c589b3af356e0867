/**
 * How good speech sounds after a network, on the listening scale from 1 (bad) to 4.5: the E-model (ITU-T G.107) with every
 * parameter but delay and loss at its default, as RFC 3611 §4.7.5 and most monitors reckon it. An estimate to compare calls
 * by: it knows nothing of echo, noise or the voice itself.
 */
interface SpeechPath {
  /** From mouth to ear, one way: network, packet length and jitter buffer. */
  delayMs: number;
  /** Packets that were not played, 0 to 1. */
  lossFraction: number;
}

/** R of a connection without any fault, from the defaults of G.107 §7.7 with the simultaneous impairments taken off. */
const BEST_RATING = 93.2;
/** G.107 §7.4, its usual simplification: delay disturbs a little from the start, and talking from here on. */
const DELAY_FACTOR_PER_MS = 0.024;
const TALK_DELAY_MS = 177.3;
const TALK_DELAY_FACTOR_PER_MS = 0.11;
/** G.711 with concealment (G.113 Appendix I); G.722 is put on the same narrowband scale. */
const CODEC_IMPAIRMENT = 0;
const LOSS_ROBUSTNESS_PERCENT = 25.1;
/** What loss can take away at most (G.107 §7.5). */
const LARGEST_LOSS_IMPAIRMENT = 95;
const BEST_MOS = 4.5;

/** Mean opinion score, 1 to 4.5, to two digits. */
export function estimateMos({ delayMs, lossFraction }: SpeechPath): number {
  const delay =
    DELAY_FACTOR_PER_MS * delayMs + TALK_DELAY_FACTOR_PER_MS * Math.max(0, delayMs - TALK_DELAY_MS);
  const lossPercent = 100 * Math.min(1, Math.max(0, lossFraction));
  const loss =
    CODEC_IMPAIRMENT +
    ((LARGEST_LOSS_IMPAIRMENT - CODEC_IMPAIRMENT) * lossPercent) / (lossPercent + LOSS_ROBUSTNESS_PERCENT);
  return toMos(BEST_RATING - delay - loss);
}

/** G.107 Annex B. */
function toMos(rating: number): number {
  if (rating <= 0) return 1;
  if (rating >= 100) return BEST_MOS;
  const mos = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.round(Math.max(1, mos) * 100) / 100;
}
