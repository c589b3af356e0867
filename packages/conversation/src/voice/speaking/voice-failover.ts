import { ProviderError } from "../../providers/provider-error.ts";
import type { AgentVoice } from "./agent-voice.ts";

/** Maximum wait for audio: before the first of it and between two chunks. */
interface AudioTimeouts {
  firstMs: number;
  nextMs: number;
}

/** Timeouts if another voice can take over. */
const AUDIO_TIMEOUTS_BEFORE_FALLBACK: AudioTimeouts = { firstMs: 1200, nextMs: 800 };
const AUDIO_TIMEOUTS: AudioTimeouts = { firstMs: 4000, nextMs: 3000 };
/** Factor on the expected synthesis time of a slow voice that has no replacement. */
const SLOW_VOICE_PATIENCE = 2;
/** Upper limit of that wait. */
const MAX_SLOW_VOICE_TIMEOUT_MS = 15_000;

const MAX_ATTEMPTS_WITH_VOICE = 2;

/** The voice of one speech: how long its audio may take, and which voice replaces it after a failure. */
export class VoiceFailover {
  readonly #voices: readonly AgentVoice[];
  readonly #onVoice: (index: number) => void;
  #index = 0;
  #attempts = 0;

  /**
   * @param voices In order of preference; not empty.
   * @param onVoice The voice at this index speaks from now on.
   */
  constructor(voices: readonly AgentVoice[], onVoice: (index: number) => void) {
    this.#voices = voices;
    this.#onVoice = onVoice;
  }

  get current(): AgentVoice {
    const voice = this.#voices[this.#index];
    if (voice === undefined) throw new Error("a speech has at least one voice");
    return voice;
  }

  /** The current voice with its provider, for people. */
  get name(): string {
    return `${this.current.tts.name} (${this.current.voice})`;
  }

  noteAttempt(): void {
    this.#attempts++;
  }

  /**
   * Maximum wait for the next audio.
   *
   * @param hasAudio Whether the current attempt has produced audio.
   * @param expectedMs Expected synthesis time of the current clause.
   */
  audioDeadlineMs(hasAudio: boolean, expectedMs: number): number {
    if (!this.#isLast) {
      const { firstMs, nextMs } = AUDIO_TIMEOUTS_BEFORE_FALLBACK;
      const { audioTimeoutMs } = this.current.tts;
      if (!hasAudio) return audioTimeoutMs ?? firstMs;
      return Math.max(nextMs, Math.min(audioTimeoutMs ?? 0, expectedMs));
    }
    const deadlineMs = hasAudio ? AUDIO_TIMEOUTS.nextMs : AUDIO_TIMEOUTS.firstMs;
    const slowMs = Math.min(MAX_SLOW_VOICE_TIMEOUT_MS, expectedMs * SLOW_VOICE_PATIENCE);
    return Math.max(deadlineMs, slowMs);
  }

  /**
   * Selects the voice for a retry; returns false if none is left. A lost connection is reopened once. A voice that
   * refuses or stalls is replaced at once if there is another.
   */
  choose(error: ProviderError): boolean {
    const mayRetry = error.isRetryable && (this.#isLast || error.kind === "connection");
    if (mayRetry && this.#attempts < MAX_ATTEMPTS_WITH_VOICE) return true;
    if (this.#isLast) return false;
    this.#index++;
    this.#attempts = 0;
    this.#onVoice(this.#index);
    return true;
  }

  /** An error of the current voice. */
  error(kind: "timeout" | "connection", message: string): ProviderError {
    const provider = this.current.tts.name;
    return new ProviderError({ provider, kind, message, isRetryable: kind === "timeout" });
  }

  get #isLast(): boolean {
    return this.#index + 1 >= this.#voices.length;
  }
}
