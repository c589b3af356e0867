/**
 * Audio for telephone calls: codecs, a resampler, loss concealment, comfort noise, DTMF tones, detection of beeps, WAV and Ogg Opus files.
 *
 * @module audio
 */
export { ComfortNoise } from "./comfort-noise.ts";
export { renderDtmf } from "./dtmf-tones.ts";
export { decodePcma, decodePcmu, encodePcma, encodePcmu } from "./g711.ts";
export { Fourier } from "./fourier.ts";
export { G722Decoder, G722Encoder } from "./g722.ts";
export { LossConcealer } from "./loss-concealer.ts";
export { OggOpusWriter } from "./ogg-opus.ts";
export * from "./opus.ts";
export { Resampler, type ResamplerRateHz } from "./resampler.ts";
export { TimeStretcher } from "./time-stretcher.ts";
export { ToneDetector, type Tone } from "./tone-detector.ts";
export { Volume } from "./volume.ts";
export { readWav, writeWav, type WavAudio } from "./wav.ts";
