import type { Voice } from "@parley/contract";
import {
  hasElevenLabsVoice,
  listElevenLabsVoices,
  listOpenAiVoices,
  OPENAI_VOICES,
  type VendorVoice,
} from "@parley/providers/catalog";
import { LOCAL_VOICES, type SpeechFit } from "@parley/providers/fit";
import type { Logger } from "pino";
import { DEFAULT_VENDOR_VOICES } from "../../model-providers/default-voices.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import { OPENAI_BASE_URL } from "../../platform/config/language-model.ts";
import { baseLanguage, listSpokenLanguages } from "./languages.rules.ts";
import { RemoteList } from "./remote-list.ts";

const LOOKUP_TIMEOUT_MS = 5_000;
const ELEVENLABS_BASE_URL = "https://api.elevenlabs.io";

export interface VoiceFilter {
  language?: string;
  category?: Voice["category"];
  search?: string;
}

interface VoiceCatalogOptions {
  config: Pick<Config, "textToSpeech" | "localSpeech" | "speechFit">;
  /** Fit of the local voices; `undefined` until it is known. */
  fit: () => SpeechFit | undefined;
  clock: Clock;
  logger: Logger;
}

/** The voices with which agents can speak: those of this server and those of the configured vendor. */
export class VoiceCatalog {
  readonly #options: VoiceCatalogOptions;
  /** `undefined` if the vendor lists no voices, or if there is none. */
  readonly #vendorVoices: RemoteList<VendorVoice> | undefined;

  constructor(options: VoiceCatalogOptions) {
    this.#options = options;
    const { config, clock, logger } = options;
    const load = vendorListOf(config.textToSpeech);
    this.#vendorVoices = load && new RemoteList({ name: "voices", load, clock, logger });
  }

  /** Those of the vendor first. */
  async list({ language, category, search }: VoiceFilter = {}): Promise<Voice[]> {
    const voices = [...(await this.#listVendorVoices()), ...this.#listLocalVoices()];
    const words = search?.toLowerCase();
    return voices.filter(
      (voice) =>
        (language === undefined || isOfLanguage(voice, language)) &&
        (category === undefined || voice.category === category) &&
        (words === undefined || voice.displayName.toLowerCase().includes(words)),
    );
  }

  /**
   * The voice of this id, which need not be listed: a vendor that cannot be asked may have it. `undefined` if there is no
   * such voice.
   */
  async find(id: string): Promise<Voice | undefined> {
    const voices = await this.list();
    const listed = voices.find((voice) => voice.id === id);
    if (listed !== undefined) return listed;
    const { textToSpeech } = this.#options.config;
    const prefix = `${textToSpeech.provider}/`;
    const name = id.slice(prefix.length);
    if (textToSpeech.provider === "local" || !id.startsWith(prefix) || name === "") return undefined;
    const isThere = await this.#mayExist(name);
    return isThere ? this.#presentVendorVoice(unlistedVoice(name)) : undefined;
  }

  /** The voice of agents that name none. */
  async findDefault(): Promise<Voice | undefined> {
    return await this.find(this.#defaultId);
  }

  /** Loads the vendor's list in the background, so that the first request does not wait for it. */
  start(): void {
    void this.#vendorVoices?.refresh();
  }

  /** Idempotent. */
  close(): void {
    this.#vendorVoices?.close();
  }

  get #defaultId(): string {
    const { config, fit } = this.#options;
    const { provider } = config.textToSpeech;
    if (provider !== "local") return `${provider}/${DEFAULT_VENDOR_VOICES[provider]}`;
    return fit()?.defaultVoice ?? config.speechFit.voice ?? LOCAL_VOICES[0]?.id ?? "";
  }

  async #listVendorVoices(): Promise<Voice[]> {
    const { provider } = this.#options.config.textToSpeech;
    if (provider === "local") return [];
    const listed = (await this.#vendorVoices?.get()) ?? [];
    const fallback = provider === "openai" && this.#vendorVoices === undefined ? OPENAI_VOICES : [];
    const known = [...listed, ...fallback.map(unlistedVoice)];
    const name = DEFAULT_VENDOR_VOICES[provider];
    const voices = known.some((voice) => voice.name === name) ? known : [unlistedVoice(name), ...known];
    return voices.map((voice) => this.#presentVendorVoice(voice));
  }

  #listLocalVoices(): Voice[] {
    if (!this.#options.config.localSpeech.hasTextToSpeech) return [];
    return LOCAL_VOICES.map(({ id, displayName, language, gender }) => ({
      id,
      displayName,
      language,
      languages: [baseLanguage(language)],
      source: "builtin",
      status: "ready",
      gender,
      category: "standard",
      isDefault: id === this.#defaultId,
    }));
  }

  #presentVendorVoice({ name, displayName, language, gender, category }: VendorVoice): Voice {
    const { provider } = this.#options.config.textToSpeech;
    const id = `${provider}/${name}`;
    return {
      id,
      displayName,
      language: language ?? "en",
      languages: [...listSpokenLanguages(provider)],
      source: "provider",
      status: "ready",
      gender,
      category,
      isDefault: id === this.#defaultId,
    };
  }

  /** Whether the vendor has the voice, or cannot be asked. */
  async #mayExist(name: string): Promise<boolean> {
    const { textToSpeech } = this.#options.config;
    if (textToSpeech.provider === "elevenlabs") {
      const access = { baseUrl: ELEVENLABS_BASE_URL, ...textToSpeech };
      const signal = AbortSignal.timeout(LOOKUP_TIMEOUT_MS);
      return await hasElevenLabsVoice(access, name, signal).catch(() => true);
    }
    // The voices of another server are known only if it lists them.
    return this.#vendorVoices !== undefined && (await this.#vendorVoices.get()) === undefined;
  }
}

/** How the vendor's voices are listed; `undefined` if they are known without a request. */
function vendorListOf(
  textToSpeech: Config["textToSpeech"],
): ((signal: AbortSignal) => Promise<VendorVoice[]>) | undefined {
  if (textToSpeech.provider === "elevenlabs") {
    const access = { baseUrl: ELEVENLABS_BASE_URL, ...textToSpeech };
    return async (signal) => await listElevenLabsVoices(access, signal);
  }
  if (textToSpeech.provider === "local" || textToSpeech.baseUrl === OPENAI_BASE_URL) return undefined;
  return async (signal) => (await listOpenAiVoices(textToSpeech, signal)).map(unlistedVoice);
}

/** A voice of which only the name is known. */
function unlistedVoice(name: string): VendorVoice {
  const displayName = name.charAt(0).toUpperCase() + name.slice(1);
  return { name, displayName, language: undefined, gender: null, category: "standard" };
}

function isOfLanguage({ language, languages }: Voice, wanted: string): boolean {
  if (!languages.includes(baseLanguage(wanted))) return false;
  // A voice of several languages has no accent that would be wrong.
  return !wanted.includes("-") || languages.length > 1 || language.toLowerCase() === wanted.toLowerCase();
}
