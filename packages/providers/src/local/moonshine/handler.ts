import { Resampler } from "@parley/audio";
import { ProviderError } from "@parley/conversation";
import { JobQueue } from "../inference/job-queue.ts";
import type { InferenceHandlers } from "../inference/methods.ts";
import type { Moonshine } from "./model.ts";

/** About as many as can be answered within their deadline. */
const maxWaiting = 64;
const maxSeconds = 30;

function to16kHz(pcm: Int16Array, sampleRateHz: number): Int16Array | undefined {
  if (sampleRateHz === 16_000) return pcm;
  if (sampleRateHz !== 8000) return undefined;
  const resampler = new Resampler(8000, 16_000);
  return resampler.process(pcm);
}

/** Serves `transcribe` with one model: an utterance at a time, finals first. */
export function createTranscribeHandler(model: Moonshine): NonNullable<InferenceHandlers["transcribe"]> {
  const queue = new JobQueue({ provider: model.name, maxWaiting });
  const refuse = (message: string): ProviderError =>
    new ProviderError({ provider: model.name, kind: "status", message, isRetryable: false });
  return async ({ pcm, sampleRateHz, streamId, isFinal }, { signal }) => {
    if (pcm.length > maxSeconds * sampleRateHz) throw refuse(`more than ${maxSeconds} s at once`);
    return await queue.run({ urgency: isFinal ? "final" : "partial", streamId, signal }, async () => {
      const pcm16k = to16kHz(pcm, sampleRateHz);
      if (pcm16k === undefined) throw refuse(`audio of ${sampleRateHz} Hz`);
      return { text: await model.transcribe(pcm16k, signal) };
    });
  };
}
