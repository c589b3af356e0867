import {
  countFurtherCalls,
  demandOf,
  type SpeechDemand,
  type SpeechFit,
  sumDemands,
} from "@parley/providers/fit";
import { findVoice } from "./local-voice.rules.ts";
import type { Config } from "../platform/config/config.ts";

type Settings = Pick<Config, "speechToText" | "textToSpeech" | "providerAccess" | "maxLocalCalls">;

/**
 * Number of calls that this machine's speech models serve at a time. A call that needs more capacity than is left is
 * rejected, because it would slow all others. Calls that use only vendors' speech take no place.
 */
export class LocalSpeechPlaces {
  readonly #settings: Settings;
  readonly #taken = new Set<{ demand: SpeechDemand | undefined }>();
  readonly #onTaken: (count: number) => void;
  #fit: SpeechFit | undefined;

  /** @param onTaken Receives the number of calls with local speech after each change. */
  constructor(settings: Settings, onTaken: (count: number) => void = () => undefined) {
    this.#settings = settings;
    this.#onTaken = onTaken;
  }

  useFit(fit: SpeechFit): void {
    this.#fit = fit;
  }

  /** `undefined` until it is known, or if no local speech is loaded. */
  get fit(): SpeechFit | undefined {
    return this.#fit;
  }

  /** Number of this node's calls with local speech. */
  get taken(): number {
    return this.#taken.size;
  }

  /** Number of further calls of agents without a voice of their own; `Infinity` if those use no local speech. */
  get free(): number {
    return this.#countFree("");
  }

  /** @param voiceId Voice of the agent; empty is the operator's default. */
  hasPlaceFor(voiceId: string): boolean {
    return this.#countFree(voiceId) > 0;
  }

  /** Takes a place for a call and releases it on disposal; `undefined` if none is free. */
  take(voiceId: string): Disposable | undefined {
    if (!this.#isLocal(voiceId)) return { [Symbol.dispose]: () => undefined };
    if (!this.hasPlaceFor(voiceId)) return undefined;
    const place = { demand: this.#demandOf(voiceId) };
    this.#taken.add(place);
    this.#onTaken(this.#taken.size);
    return {
      [Symbol.dispose]: () => {
        if (this.#taken.delete(place)) this.#onTaken(this.#taken.size);
      },
    };
  }

  #countFree(voiceId: string): number {
    if (!this.#isLocal(voiceId)) return Infinity;
    const { maxLocalCalls } = this.#settings;
    if (maxLocalCalls !== undefined) return Math.max(0, maxLocalCalls - this.#taken.size);
    const next = this.#demandOf(voiceId);
    if (next === undefined) return Infinity;
    const held = sumDemands([...this.#taken].flatMap(({ demand }) => demand ?? []));
    const further = countFurtherCalls(held, next);
    // A machine that is too slow for any call accepts one, which slows no other call.
    return this.#taken.size === 0 ? Math.max(1, further) : further;
  }

  #isLocal(voiceId: string): boolean {
    return (
      this.#settings.speechToText.provider === "local" ||
      findVoice(voiceId, this.#settings).provider === "local"
    );
  }

  #demandOf(voiceId: string): SpeechDemand | undefined {
    const { provider, name } = findVoice(voiceId, this.#settings);
    const fit = this.#fit;
    return (
      fit &&
      demandOf(fit, {
        hasRecognizer: this.#settings.speechToText.provider === "local",
        voice: provider === "local" ? name || fit.defaultVoice : undefined,
      })
    );
  }
}
