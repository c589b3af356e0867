import type { NoiseSuppressionStream, NoiseSuppressor } from "../../providers/noise-suppression.ts";
import type { SampleRateHz } from "../../providers/speech-to-text.ts";
import type { VoiceActivityDetector, VoiceActivityStream } from "../../providers/voice-activity.ts";
import { VoiceGate } from "./voice-gate.ts";

const SPEECH_PROBABILITY = 0.5;
/** Frames that the suppressor processes ahead of the first one needed, to adapt to the noise. */
const WARM_UP_FRAMES = 8;
/** Windows without speech after which suppression stops. */
const REST_WINDOWS = 16;

export interface CallerActivityOptions {
  sampleRateHz: SampleRateHz;
  vad: VoiceActivityDetector;
  /** Without it noise is told from the caller by its level alone. */
  noiseSuppressor: NoiseSuppressor | undefined;
  isAgentAudible: () => boolean;
  /** Whether the agent's speech is paused because the caller may be interrupting. */
  isAgentPaused: () => boolean;
  /** Reports the probability that the 32 ms window ending at `endSample` contains caller speech. */
  onWindow: (probability: number, endSample: number) => void;
}

/**
 * Detects when the caller speaks: speech by the detector, near by its level. While the agent speaks, windows that sound
 * like speech are also judged with noise suppressed; at other times that would only cost processor time.
 */
export class CallerActivity {
  readonly #options: CallerActivityOptions;
  readonly #gate: VoiceGate;
  readonly #vad: VoiceActivityStream;
  readonly #recent: Int16Array[] = [];
  #suppressor: NoiseSuppressionStream | undefined;
  #isSuppressing = false;
  #quietWindows = 0;

  constructor(options: CallerActivityOptions) {
    const { sampleRateHz, vad } = options;
    this.#options = options;
    this.#gate = new VoiceGate(sampleRateHz);
    this.#vad = vad.open({
      sampleRateHz,
      onProbability: (probability, endSample) => this.#judge(probability, endSample),
    });
  }

  /** Takes 20 ms of the caller's audio. The buffer may be reused after return. */
  write(pcm: Int16Array): void {
    this.#gate.write(pcm);
    if (this.#options.noiseSuppressor !== undefined) this.#keep(pcm);
    this.#vad.write(pcm);
  }

  /** Idempotent. No callback follows. */
  close(): void {
    this.#vad.close();
    this.#suppressor?.close();
    this.#isSuppressing = false;
  }

  #keep(pcm: Int16Array): void {
    if (this.#isSuppressing) return this.#suppress(pcm, 0);
    const oldest = this.#recent.length === WARM_UP_FRAMES ? this.#recent.shift() : undefined;
    const frame = oldest ?? new Int16Array(pcm.length);
    frame.set(pcm);
    this.#recent.push(frame);
  }

  #suppress(pcm: Int16Array, framesAgo: number): void {
    const quiet = this.#suppressor?.process(pcm);
    if (quiet !== undefined) this.#gate.writeSuppressed(quiet, framesAgo);
  }

  #judge(probability: number, endSample: number): void {
    const { onWindow } = this.#options;
    const isAgentAudible = this.#options.isAgentAudible();
    const isAgentTalking = isAgentAudible || this.#options.isAgentPaused();
    const isSpeech = probability >= SPEECH_PROBABILITY;
    this.#quietWindows = isSpeech ? 0 : this.#quietWindows + 1;
    if (this.#isSuppressing && (!isAgentTalking || this.#quietWindows >= REST_WINDOWS)) {
      this.#isSuppressing = false;
    } else if (!this.#isSuppressing && isAgentTalking && isSpeech) this.#beginSuppressing();
    onWindow(this.#gate.pass(probability, endSample, isAgentAudible), endSample);
  }

  #beginSuppressing(): void {
    const { noiseSuppressor, sampleRateHz } = this.#options;
    if (noiseSuppressor === undefined) return;
    this.#suppressor ??= noiseSuppressor.open({ sampleRateHz });
    this.#isSuppressing = true;
    const frames = this.#recent.splice(0);
    for (const [index, frame] of frames.entries()) this.#suppress(frame, frames.length - 1 - index);
  }
}
