import type { Voice } from "@parley/contract";
import {
  splitId,
  type VendorVoice,
  voiceProviderIds,
  voiceProviderKind,
  type VoiceProviderId,
} from "@parley/providers/registry";
import { LOCAL_VOICES, type SpeechFit } from "@parley/providers/fit";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import { baseLanguage } from "./languages.rules.ts";
import { RemoteList } from "./remote-list.ts";

const LOOKUP_TIMEOUT_MS = 5_000;
/** Fields that only vary among voices that organizations created. */
const notCustom = {
  status: "ready",
  statusReason: null,
  isApproximation: false,
  warnings: [],
} satisfies Partial<Voice>;

export interface VoiceFilter {
  language?: string;
  category?: Voice["category"];
  search?: string;
}

interface VoiceCatalogOptions {
  config: Pick<Config, "textToSpeech" | "providerAccess" | "localSpeech" | "speechFit">;
  /** Fit of the local voices; `undefined` until it is known. */
  fit: () => SpeechFit | undefined;
  clock: Clock;
  logger: Logger;
}

/** The voices with which agents can speak: those of this server and those of the configured providers. */
export class VoiceCatalog {
  readonly #options: VoiceCatalogOptions;
  readonly #vendorVoices = new Map<VoiceProviderId, RemoteList<VendorVoice>>();

  constructor(options: VoiceCatalogOptions) {
    this.#options = options;
    const { config, clock, logger } = options;
    for (const id of voiceProviderIds) {
      const access = config.providerAccess[id];
      if (access === undefined) continue;
      const load = async (signal: AbortSignal) => await voiceProviderKind(id).listVoices(access, signal);
      this.#vendorVoices.set(id, new RemoteList({ name: `voices of ${id}`, load, clock, logger }));
    }
  }

  /** Those of the operator's provider first, those of this server last. */
  async list(filter: VoiceFilter = {}): Promise<Voice[]> {
    const first = this.#options.config.textToSpeech.provider;
    const providers = [...this.#vendorVoices.keys()].sort(
      (a, b) => Number(b === first) - Number(a === first),
    );
    const lists = await Promise.all(providers.map(async (id) => await this.#listVendorVoices(id)));
    const voices = [...lists.flat(), ...this.#listLocalVoices()];
    return voices.filter((voice) => matchesFilter(voice, filter));
  }

  /**
   * The voice of this id, which need not be listed: a vendor that cannot be asked may have it. `undefined` if there is no
   * such voice.
   */
  async find(id: string): Promise<Voice | undefined> {
    const voices = await this.list();
    const listed = voices.find((voice) => voice.id === id);
    if (listed !== undefined) return listed;
    const named = splitId(voiceProviderIds, id);
    if (named === undefined || !this.#vendorVoices.has(named.provider)) return undefined;
    const isThere = await this.#mayExist(named.provider, named.name);
    return isThere ? this.#presentVendorVoice(named.provider, unlistedVoice(named.name)) : undefined;
  }

  /** The voice of agents that name none. */
  async findDefault(): Promise<Voice | undefined> {
    return await this.find(this.#defaultId);
  }

  /** Loads the vendors' lists in the background, so that the first request does not wait for them. */
  start(): void {
    for (const voices of this.#vendorVoices.values()) void voices.refresh();
  }

  /** Idempotent. */
  close(): void {
    for (const voices of this.#vendorVoices.values()) voices.close();
  }

  get #defaultId(): string {
    const { config, fit } = this.#options;
    const { provider } = config.textToSpeech;
    if (provider !== "local") return `${provider}/${voiceProviderKind(provider).defaultVoice}`;
    return fit()?.defaultVoice ?? config.speechFit.voice ?? LOCAL_VOICES[0]?.id ?? "";
  }

  async #listVendorVoices(id: VoiceProviderId): Promise<Voice[]> {
    const known = (await this.#vendorVoices.get(id)?.get()) ?? [];
    const name = voiceProviderKind(id).defaultVoice;
    const isDefaultKnown = known.some((voice) => voice.name === name);
    const isDefaultUsed = this.#options.config.textToSpeech.provider === id;
    const voices = isDefaultKnown || !isDefaultUsed ? known : [unlistedVoice(name), ...known];
    return voices.map((voice) => this.#presentVendorVoice(id, voice));
  }

  #listLocalVoices(): Voice[] {
    if (!this.#options.config.localSpeech.hasTextToSpeech) return [];
    return LOCAL_VOICES.map(({ id, displayName, language, gender }) => ({
      id,
      displayName,
      language,
      languages: [baseLanguage(language)],
      source: "builtin",
      ...notCustom,
      gender,
      category: "standard",
      isDefault: id === this.#defaultId,
    }));
  }

  #presentVendorVoice(provider: VoiceProviderId, voice: VendorVoice): Voice {
    const id = `${provider}/${voice.name}`;
    return {
      id,
      displayName: voice.displayName,
      language: voice.language ?? "en",
      languages: [...(voice.languages ?? voiceProviderKind(provider).languages)],
      source: "provider",
      ...notCustom,
      gender: voice.gender,
      category: voice.category,
      isDefault: id === this.#defaultId,
    };
  }

  /** Whether the vendor has the voice, or cannot be asked. */
  async #mayExist(provider: VoiceProviderId, name: string): Promise<boolean> {
    const { hasVoice } = voiceProviderKind(provider);
    const access = this.#options.config.providerAccess[provider];
    if (hasVoice !== undefined && access !== undefined)
      return await hasVoice(access, name, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)).catch(() => true);
    // The voices of a server are known only if it lists them.
    return (await this.#vendorVoices.get(provider)?.get()) === undefined;
  }
}

/** A voice of which only the name is known. */
function unlistedVoice(name: string): VendorVoice {
  const displayName = name.charAt(0).toUpperCase() + name.slice(1);
  return { name, displayName, language: undefined, gender: null, category: "standard" };
}

export function matchesFilter(voice: Voice, { language, category, search }: VoiceFilter): boolean {
  return (
    (language === undefined || isOfLanguage(voice, language)) &&
    (category === undefined || voice.category === category) &&
    (search === undefined || voice.displayName.toLowerCase().includes(search.toLowerCase()))
  );
}

function isOfLanguage({ language, languages }: Voice, wanted: string): boolean {
  if (!languages.includes(baseLanguage(wanted))) return false;
  // A voice of several languages has no accent that would be wrong.
  return !wanted.includes("-") || languages.length > 1 || language.toLowerCase() === wanted.toLowerCase();
}
