import path from "node:path";
import type {
  SampleRateHz,
  VoiceActivityDetector,
  VoiceActivityOptions,
  VoiceActivityStream,
} from "@parley/conversation";
import { Batcher, type SileroStats } from "./batcher.ts";
import { SileroModel } from "./model.ts";
import { Stream } from "./stream.ts";

export interface LoadSileroOptions {
  /** Folder returned by `ensureModels`. */
  modelsDir: string;
  /** Receives the error of a failed batch: its windows are lost, and the streams continue. */
  onFailure: (error: unknown) => void;
}

/**
 * Silero's voice activity detector for all calls of a process. Windows that fill up within a few milliseconds are
 * processed in one batch; one batch is under way at a time.
 */
export class SileroVoiceActivity implements VoiceActivityDetector {
  readonly stats: SileroStats = { windows: 0, batches: 0, droppedWindows: 0 };
  readonly #model: SileroModel;
  readonly #batchers: Readonly<Record<SampleRateHz, Batcher>>;
  #isClosed = false;

  constructor(model: SileroModel, onFailure: (error: unknown) => void) {
    this.#model = model;
    this.#batchers = {
      8000: new Batcher(model, 8000, onFailure, this.stats),
      16000: new Batcher(model, 16_000, onFailure, this.stats),
    };
  }

  open(options: VoiceActivityOptions): VoiceActivityStream {
    return new Stream(
      options,
      this.#batchers[options.sampleRateHz].add,
      () => (this.stats.droppedWindows += 1),
    );
  }

  /** Waits for the batch under way. Close the streams first. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all(Object.values(this.#batchers).map((batcher) => batcher.close()));
    await this.#model.close();
  }
}

/** Loads Silero VAD v6 (MIT) from the file of the group `silero`, into a thread of its own. */
export async function loadSilero({ modelsDir, onFailure }: LoadSileroOptions): Promise<SileroVoiceActivity> {
  const model = await SileroModel.load(path.join(modelsDir, "silero", "silero_vad.onnx"));
  return new SileroVoiceActivity(model, onFailure);
}
