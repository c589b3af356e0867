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

/** Both sides of a test call: somebody speaks all the time, and calls of a run begin together. */
const TEST_CALL_WEIGHT = 2;

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
    return this.hasPlaceFor(voiceId) ? this.#add(this.#demandOf(voiceId)) : undefined;
  }

  #add(demand: SpeechDemand | undefined): Disposable {
    const place = { demand };
    this.#taken.add(place);
    this.#onTaken(this.#taken.size);
    return {
      [Symbol.dispose]: () => {
        if (this.#taken.delete(place)) this.#onTaken(this.#taken.size);
      },
    };
  }

  /** Whether both sides of a test call would get their places. */
  hasPlacesForTest(voiceIds: readonly string[]): boolean {
    const local = voiceIds.filter((voiceId) => this.#isLocal(voiceId));
    const { maxLocalCalls } = this.#settings;
    // A machine that is too slow for any call accepts one, which slows no other call.
    if (local.length === 0 || this.#taken.size === 0) return maxLocalCalls !== 0 || local.length === 0;
    if (maxLocalCalls !== undefined) return this.#taken.size + local.length <= maxLocalCalls;
    const held = sumDemands(this.#demands());
    return countFurtherCalls(held, sumDemands(local.flatMap((each) => this.#demandOfTest(each) ?? []))) > 0;
  }

  /**
   * Takes the places of both sides of a test call, or none: `undefined` if they are not free. Each side counts as two calls
   * of people, who pause and do not all begin at once; the operator's number of calls counts calls.
   */
  takeForTest(voiceIds: readonly string[]): Disposable | undefined {
    if (!this.hasPlacesForTest(voiceIds)) return undefined;
    const places = voiceIds
      .filter((voiceId) => this.#isLocal(voiceId))
      .map((voiceId) => this.#add(this.#demandOfTest(voiceId)));
    return {
      [Symbol.dispose]: () => {
        for (const place of places) place[Symbol.dispose]();
      },
    };
  }

  #countFree(voiceId: string): number {
    if (!this.#isLocal(voiceId)) return Infinity;
    const { maxLocalCalls } = this.#settings;
    if (maxLocalCalls !== undefined) return Math.max(0, maxLocalCalls - this.#taken.size);
    const next = this.#demandOf(voiceId);
    if (next === undefined) return Infinity;
    const held = sumDemands(this.#demands());
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

  #demands(): SpeechDemand[] {
    return [...this.#taken].flatMap(({ demand }) => demand ?? []);
  }

  #demandOfTest(voiceId: string): SpeechDemand | undefined {
    const demand = this.#demandOf(voiceId);
    return demand && sumDemands(Array.from({ length: TEST_CALL_WEIGHT }, () => demand));
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
