import { writeWav } from "@parley/audio";
import { synthesize } from "@parley/conversation";
import type { SpeechFit } from "@parley/providers/fit";
import type { VoicesFor } from "../../model-providers/speech-providers.ts";
import { AppError, invalidQuery } from "../../platform/app-error.ts";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import { baseLanguage } from "./languages.rules.ts";
import { previewSentence } from "./preview-sentences.ts";
import type { OfferedVoices } from "./offered-voices.ts";

const SAMPLE_RATE_HZ = 16_000;
/** Time without audio; local voices wait while calls need the processor. */
const SILENCE_TIMEOUT_MS = 20_000;
/** Of about 150 kB each. */
const MAX_KEPT = 100;

interface VoicePreviewsOptions {
  config: ProviderConfiguration;
  voices: OfferedVoices;
  inferencePath: string;
  /** `undefined` until it is known. */
  fit: () => SpeechFit | undefined;
}

/** Sample sentences of voices. */
export class VoicePreviews {
  readonly #options: VoicePreviewsOptions;
  readonly #closing = new AbortController();
  readonly #closers: (() => Promise<void>)[] = [];
  /** WAV files by voice and language, the last used ones. Requests at once for the same one share it. */
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  #voicesFor: Promise<VoicesFor> | undefined;

  constructor(options: VoicePreviewsOptions) {
    this.#options = options;
  }

  /** Returns a WAV file. Throws `not_found`, `invalid_query` and `provider_unreachable`. */
  async preview(organizationId: string, id: string, wanted: string | undefined): Promise<Uint8Array> {
    const { voices } = this.#options;
    const voice = await voices.find(organizationId, id);
    if (voice === undefined) throw new AppError("not_found");
    if (voice.status !== "ready")
      throw new AppError("provider_unreachable", {
        message: `The voice cannot speak: its status is ${voice.status}.`,
      });
    const spokenId = await voices.findSpoken(organizationId, id);
    const language = wanted ?? voice.language;
    if (!voice.languages.includes(baseLanguage(language)))
      throw invalidQuery("language", `must be one of the voice's languages: ${voice.languages.join(", ")}`);
    const key = JSON.stringify([spokenId, language.toLowerCase()]);
    const known = this.#kept.get(key) ?? this.#speak(spokenId, language);
    this.#kept.delete(key);
    this.#kept.set(key, known);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return await known;
    } catch (error) {
      if (this.#kept.get(key) === known) this.#kept.delete(key);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }

  async #speak(id: string, language: string): Promise<Uint8Array> {
    const voicesFor = await (this.#voicesFor ??= this.#open());
    const [voice] = voicesFor({ voiceId: id, fallbackVoiceId: undefined, language });
    const limits = { deadlineMs: SILENCE_TIMEOUT_MS, signal: this.#closing.signal };
    const style = { sampleRateHz: SAMPLE_RATE_HZ, language, speed: 1 } as const;
    const pcm = await synthesize(voice, style, previewSentence(language), limits);
    if (pcm === undefined)
      throw new AppError("provider_unreachable", { message: `The voice ${id} did not speak in time.` });
    return writeWav({ sampleRateHz: SAMPLE_RATE_HZ, channels: 1, pcm });
  }

  /** Loads the vendors' clients with the first preview: most nodes need none. */
  async #open(): Promise<VoicesFor> {
    const [{ loadVoices }, { chooseSpeechFit, connectInference }] = await Promise.all([
      import("../../model-providers/speech-providers.ts"),
      import("@parley/providers/local"),
    ]);
    const { config, inferencePath, fit } = this.#options;
    const inference = connectInference({ path: inferencePath });
    this.#closers.push(async () => inference.close());
    return await loadVoices(config, inference, () => fit() ?? chooseSpeechFit({}, 1), this.#closers);
  }
}
