import type { SampleMeasures } from "./sample-measures.ts";

export const MIN_SAMPLE_SECONDS = 8;
export const MAX_SAMPLE_SECONDS = 40;
const MIN_SPEECH_SECONDS = 5;
/** Less than this is a noise that resembles speech. */
const NO_SPEECH_SECONDS = 0.5;
const MIN_LEVEL_DB = -45;
const MAX_CLIPPED_SHARE = 0.002;
const MIN_SIGNAL_TO_NOISE_DB = 15;
const GOOD_SIGNAL_TO_NOISE_DB = 25;
const GOOD_SAMPLE_RATE_HZ = 16_000;

/** Reasons why a recording cannot become a voice, each with what to do. */
export function refuseSample(measures: SampleMeasures): string[] {
  const { seconds, speechSeconds, speechLevelDb, clippedShare, signalToNoiseDb, pitchHz } = measures;
  const reasons: string[] = [];
  if (seconds < MIN_SAMPLE_SECONDS)
    reasons.push(
      `is ${seconds.toFixed(1)} seconds long: record ${MIN_SAMPLE_SECONDS} to ${MAX_SAMPLE_SECONDS} seconds`,
    );
  if (speechSeconds < NO_SPEECH_SECONDS || pitchHz === undefined)
    return [
      ...reasons,
      "contains no speech: check that the right microphone is chosen, and read a few sentences aloud",
    ];
  if (seconds >= MIN_SAMPLE_SECONDS && speechSeconds < MIN_SPEECH_SECONDS)
    reasons.push(
      `contains only ${speechSeconds.toFixed(1)} seconds of speech: read on without long pauses, for at least ${MIN_SPEECH_SECONDS} seconds`,
    );
  if (speechLevelDb < MIN_LEVEL_DB)
    reasons.push(
      `is too quiet (speech at ${speechLevelDb.toFixed(0)} dBFS): move closer to the microphone, or raise its level`,
    );
  if (clippedShare > MAX_CLIPPED_SHARE)
    reasons.push(
      `is clipped (${(clippedShare * 100).toFixed(1)} % of it is at the limit of the scale): lower the level of the microphone, or move away from it`,
    );
  if (signalToNoiseDb < MIN_SIGNAL_TO_NOISE_DB)
    reasons.push(
      `is too noisy (the speech is only ${signalToNoiseDb.toFixed(0)} dB above the noise): record in a quiet room, close to the microphone`,
    );
  return reasons;
}

/** What lowers the quality of the voice, in sentences. */
export function warnAboutSample({
  speakerPitchesHz,
  signalToNoiseDb,
  sampleRateHz,
}: SampleMeasures): string[] {
  const warnings: string[] = [];
  if (speakerPitchesHz !== undefined) {
    const [low, high] = speakerPitchesHz.map((hz) => Math.round(hz));
    warnings.push(
      `There may be more than one speaker: some phrases have a pitch of about ${low} Hz, others of ${high} Hz. Only pitch is compared, so speakers of similar pitch are not noticed.`,
    );
  }
  if (signalToNoiseDb < GOOD_SIGNAL_TO_NOISE_DB)
    warnings.push(
      `There is noise (${signalToNoiseDb.toFixed(0)} dB below the speech), which the voice may repeat.`,
    );
  if (sampleRateHz < GOOD_SAMPLE_RATE_HZ)
    warnings.push(`The recording has telephone quality (${sampleRateHz} Hz): the voice will sound dull.`);
  return warnings;
}
