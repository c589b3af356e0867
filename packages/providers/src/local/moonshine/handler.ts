import { Resampler } from "@parley/audio";
import { ProviderError } from "@parley/conversation";
import type { JobLoad } from "../inference/job-load.ts";
import { JobQueue } from "../inference/job-queue.ts";
import type { InferenceHandlers } from "../inference/methods.ts";
import type { Moonshine } from "./model.ts";

/** About as many requests as can be answered within their deadline. */
const MAX_WAITING = 64;
const MAX_SECONDS = 30;
/** Calls whose last text is kept; more than one model can serve. */
const MAX_DRAFTS = 500;

function to16kHz(pcm: Int16Array, sampleRateHz: number): Int16Array | undefined {
  if (sampleRateHz === 16_000) return pcm;
  if (sampleRateHz !== 8000) return undefined;
  const resampler = new Resampler(8000, 16_000);
  return resampler.process(pcm);
}

/**
 * Serves `transcribe` with one model: one utterance at a time, finals first. Each pause of a call requests the
 * utterance so far, so its last text is kept as a draft of the next.
 */
export function createTranscribeHandler(
  model: Moonshine,
  load?: JobLoad,
): NonNullable<InferenceHandlers["transcribe"]> {
  const queue = new JobQueue({ provider: model.name, maxWaiting: MAX_WAITING, ...(load && { load }) });
  const drafts = new Map<string, readonly number[]>();
  const refuse = (message: string): ProviderError =>
    new ProviderError({ provider: model.name, kind: "status", message, isRetryable: false });
  return async ({ pcm, sampleRateHz, streamId, isFinal, keyterms = [] }, { signal }) => {
    if (pcm.length > MAX_SECONDS * sampleRateHz) throw refuse(`more than ${MAX_SECONDS} s at once`);
    return await queue.run(
      { priority: isFinal ? "turn" : "partial", streamId, isReplaceable: !isFinal, signal },
      async () => {
        const pcm16k = to16kHz(pcm, sampleRateHz);
        if (pcm16k === undefined) throw refuse(`audio of ${sampleRateHz} Hz`);
        const { tokens, ...heard } = await model.transcribe(pcm16k, signal, drafts.get(streamId), keyterms);
        drafts.delete(streamId);
        drafts.set(streamId, tokens);
        const [oldest] = drafts.keys();
        if (drafts.size > MAX_DRAFTS && oldest !== undefined) drafts.delete(oldest);
        return heard;
      },
    );
  };
}
