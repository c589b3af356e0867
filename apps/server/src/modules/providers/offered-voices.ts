import type { Voice } from "@parley/contract";
import { sampleIdOf } from "@parley/providers/registry";
import { matchesFilter, type VoiceCatalog, type VoiceFilter } from "./voice-catalog.ts";

/** Voices that organizations created. */
export interface CustomVoices {
  list: (organizationId: string) => Promise<Voice[]>;
  find: (organizationId: string, id: string) => Promise<Voice | undefined>;
  /** Whether a voice of a provider is the clone of some organization. */
  isClone: (voiceId: string) => Promise<boolean>;
  /** Replaces the organization's own voices by those that speak. */
  resolve: (organizationId: string, fields: SpeakingVoices) => Promise<SpeakingVoices>;
}

interface SpeakingVoices {
  voiceId: string | null;
  fallbackVoiceId: string | null;
}

/** The voices that an organization can use: its own, and those of the server that are no other organization's. */
export class OfferedVoices {
  readonly #catalog: VoiceCatalog;
  readonly #custom: CustomVoices;

  constructor(catalog: VoiceCatalog, custom: CustomVoices) {
    this.#catalog = catalog;
    this.#custom = custom;
  }

  /** The organization's own first. */
  async list(organizationId: string, filter: VoiceFilter = {}): Promise<Voice[]> {
    const [own, all] = await Promise.all([this.#custom.list(organizationId), this.#catalog.list(filter)]);
    // Clones are listed by the provider too, for all organizations.
    const shared = all.filter(({ displayName }) => sampleIdOf(displayName) === undefined);
    return [...own.filter((voice) => matchesFilter(voice, filter)), ...shared];
  }

  /** `undefined` if the organization can use no such voice. */
  async find(organizationId: string, id: string): Promise<Voice | undefined> {
    const own = await this.#custom.find(organizationId, id);
    if (own !== undefined) return own;
    const voice = await this.#catalog.find(id);
    if (voice === undefined || sampleIdOf(voice.displayName) !== undefined) return undefined;
    return voice.source === "provider" && (await this.#custom.isClone(id)) ? undefined : voice;
  }

  /** The voice of agents that name none. */
  async findDefault(): Promise<Voice | undefined> {
    return await this.#catalog.findDefault();
  }

  /** Id of the voice that speaks for one that `find` returned. */
  async findSpoken(organizationId: string, id: string): Promise<string> {
    const { voiceId } = await this.#custom.resolve(organizationId, { voiceId: id, fallbackVoiceId: null });
    return voiceId ?? "";
  }
}
