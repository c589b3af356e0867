/**
 * Audio for telephone calls: codecs, a resampler, loss concealment, comfort noise, DTMF tones, detection of beeps, pitch, files of recordings.
 *
 * @module audio
 */
export { ComfortNoise } from "./comfort-noise.ts";
export { renderDtmf } from "./dtmf-tones.ts";
export { AudioFileError, type MonoAudio } from "./files/audio-file.ts";
export { decodeAudioFile } from "./files/decode-audio-file.ts";
export { decodePcma, decodePcmu, encodePcma, encodePcmu } from "./g711.ts";
export { Fourier } from "./fourier.ts";
export { G722Decoder, G722Encoder } from "./g722.ts";
export { LossConcealer } from "./loss-concealer.ts";
export { OggOpusWriter } from "./ogg-opus.ts";
export * from "./opus.ts";
export { shiftPitch } from "./pitch-shift.ts";
export { medianPitch, type PitchPoint, trackPitch } from "./pitch.ts";
export { Resampler, RESAMPLER_RATES_HZ, type ResamplerRateHz } from "./resampler.ts";
export { speechRate } from "./speech-rate.ts";
export { TimeStretcher } from "./time-stretcher.ts";
export { ToneDetector, type Tone } from "./tone-detector.ts";
export { Volume } from "./volume.ts";
export { readWav, writeWav, type WavAudio } from "./wav.ts";
