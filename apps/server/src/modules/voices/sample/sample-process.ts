/** Process that decodes and measures one recording of unknown origin: its memory and time end with it. */
import { setPriority } from "node:os";
import { AudioFileError, decodeAudioFile, type MonoAudio, Resampler, writeWav } from "@parley/audio";
import { loadSilero } from "@parley/providers/voice-activity";
import { MEASURED_RATE_HZ, measureSample, normalizeSample, WINDOW_SAMPLES } from "./sample-measures.ts";
import { MAX_SAMPLE_SECONDS, refuseSample } from "./sample.rules.ts";
import type { SampleReport, SampleToExamine } from "./sample-examiner.ts";

/** Calls come first. */
const NICENESS = 10;
/** Windows that voice activity detection accepts at a time. */
const BATCH_WINDOWS = 4;

async function examine({ bytes, modelsDirectory }: SampleToExamine): Promise<SampleReport> {
  const sound = await decode(bytes);
  const pcm16 = Int16Array.from(sound.samples, (sample) =>
    Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))),
  );
  const pcm = new Resampler(sound.sampleRateHz, MEASURED_RATE_HZ).process(pcm16);
  const measures = measureSample(sound, pcm, await findSpeech(pcm, modelsDirectory));
  const reasons = refuseSample(measures);
  if (reasons.length > 0) return { reasons };
  const { pcm: normalized, sampleRateHz } = normalizeSample(sound, measures);
  return { measures, wav: writeWav({ sampleRateHz, channels: 1, pcm: normalized }) };
}

/** A decoder that fails in an unforeseen way has met a damaged file. */
async function decode(bytes: Uint8Array): Promise<MonoAudio> {
  try {
    return await decodeAudioFile(bytes, MAX_SAMPLE_SECONDS);
  } catch (error) {
    throw error instanceof AudioFileError ? error : new AudioFileError("is damaged: export it again, as WAV");
  }
}

/** Probability of speech of each whole window. */
async function findSpeech(pcm: Int16Array, modelsDir: string): Promise<number[]> {
  let arrived = Promise.withResolvers<void>();
  const detector = await loadSilero({
    modelsDir,
    onFailure: (cause) => arrived.reject(new Error("voice activity detection failed", { cause })),
  });
  const probabilities: number[] = [];
  const stream = detector.open({
    sampleRateHz: MEASURED_RATE_HZ,
    onProbability: (probability) => {
      probabilities.push(probability);
      arrived.resolve();
    },
  });
  const windows = Math.floor(pcm.length / WINDOW_SAMPLES);
  for (let window = 0; window < windows; window += BATCH_WINDOWS) {
    const end = Math.min(windows, window + BATCH_WINDOWS);
    stream.write(pcm.subarray(window * WINDOW_SAMPLES, end * WINDOW_SAMPLES));
    while (probabilities.length < end) {
      await arrived.promise;
      arrived = Promise.withResolvers();
    }
  }
  stream.close();
  await detector.close();
  return probabilities;
}

setPriority(NICENESS);
process.once("message", (sample) => {
  // Only the parent sends messages.
  void examine(sample as SampleToExamine)
    .catch((error: unknown): SampleReport => {
      if (error instanceof AudioFileError) return { reasons: [error.message] };
      throw error;
    })
    .then((report) => process.send?.(report, () => process.exit(0)));
});
// Its parent has ended.
process.once("disconnect", () => process.exit(1));
