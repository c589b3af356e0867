import type { LanguageModel, SpeechToText, TextToSpeech } from "@parley/conversation";
import type { SpeedRange } from "../speed/speed-range.ts";

/** How to reach a provider. */
export interface ProviderAccess {
  /** URL of the provider, or of a server with its API, without a trailing slash. */
  baseUrl: string;
  /** `undefined` for servers without authentication. */
  apiKey?: string | undefined;
}

/**
 * Everything that Parley knows about a provider before it is used. The description is cheap to load; the adapters, with
 * the clients of vendors, are loaded by `load`.
 */
export interface ProviderKind {
  /** Name for people. */
  displayName: string;
  /** Environment variables of the operator, by name. */
  variables: Readonly<Record<string, { description: string; default?: string }>>;
  /** Variables with the key; the first one that is set counts. */
  apiKeyVariables: readonly string[];
  baseUrlVariable: string;
  defaultBaseUrl: string;
  /**
   * `always`: nothing works without a key. `atDefaultUrl`: another server may need none. `never`: there are no keys, and
   * the provider is configured if its URL is set.
   */
  needsKey: "always" | "atDefaultUrl" | "never";
  /** Rejects with a `ProviderError` if the key is refused or the provider does not answer. */
  checkKey: (access: ProviderAccess, signal: AbortSignal) => Promise<void>;
  speechToText?: SpeechToTextKind;
  textToSpeech?: TextToSpeechKind;
  languageModel?: LanguageModelKind;
}

/** An adapter whose connections its owner closes. */
export type Owned<Adapter> = Adapter & { close?(): void | Promise<void> };

/** Connects an adapter. */
export type Connect<Adapter, Options> = (access: ProviderAccess, options: Options) => Owned<Adapter>;

export interface SpeechToTextKind {
  defaultModel: string;
  /** Languages that it understands, without regions. */
  languages: readonly string[];
  /** Deadline for the text after the end of a pause; after it the recognizer counts as failed. */
  answerDeadlineMs: number;
  load: () => Promise<Connect<SpeechToText, { model: string }>>;
}

export interface TextToSpeechKind {
  defaultModel: string;
  /** Name of the voice of agents that name none. */
  defaultVoice: string;
  /** Languages that its voices speak, without regions; those of a voice that names its own may be fewer. */
  languages: readonly string[];
  /** Whether the variation of its voices can be set (the agent's `voiceTemperature`). */
  hasTemperature?: true;
  /** Speeds that a model accepts; a time stretch does the rest. */
  speedRange: (model: string) => SpeedRange;
  /** Rejects with a `ProviderError`. */
  listVoices: (access: ProviderAccess, signal: AbortSignal) => Promise<readonly VendorVoice[]>;
  /**
   * Whether the account can use a voice that is not listed. Rejects with a `ProviderError` if the provider does not say.
   * Absent: it has only those that it lists, or any if it lists none.
   */
  hasVoice?: (access: ProviderAccess, name: string, signal: AbortSignal) => Promise<boolean>;
  /** Absent: the provider clones no voices. Requires `hasVoice`. */
  cloning?: VoiceCloning;
  load: () => Promise<Connect<TextToSpeech, { model: string }>>;
}

/** Makes voices from recordings of people. */
export interface VoiceCloning {
  /**
   * Returns the name of the clone at the provider. Repeated for the same sample, it returns the clone that exists. Rejects
   * with a `ProviderError`.
   */
  cloneVoice: (access: ProviderAccess, sample: VoiceSample, signal: AbortSignal) => Promise<string>;
  /** Succeeds if there is no such clone. Rejects with a `ProviderError`. */
  deleteVoice: (access: ProviderAccess, name: string, signal: AbortSignal) => Promise<void>;
}

/** The recording of a person who is cloned. */
export interface VoiceSample {
  /** Identifies the clone among the account's voices. */
  id: string;
  displayName: string;
  /** BCP 47. */
  language: string;
  wav: Uint8Array;
}

/** A voice as its provider lists it. */
export interface VendorVoice {
  /** Name of the voice at the provider. */
  name: string;
  displayName: string;
  /** BCP 47; `undefined` if the provider does not say. */
  language: string | undefined;
  /** Languages without regions; absent: all those of the provider. */
  languages?: readonly string[];
  gender: "female" | "male" | "neutral" | null;
  category: "standard" | "cloned";
}

export interface LanguageModelOptions {
  model: string;
  /** Tokens of prompt and reply together. */
  contextTokens?: number | undefined;
  /** From the request to the first byte of the reply. */
  firstByteTimeoutMs?: number;
  betweenChunksTimeoutMs?: number;
}

/** Settings of a request to a language model, named as in the AI SDK. */
export type CallSetting =
  | "maxOutputTokens"
  | "topP"
  | "topK"
  | "frequencyPenalty"
  | "presencePenalty"
  | "seed"
  | "stopSequences";

/** A request that asks a model for as little as possible. */
export interface ProbeRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: object;
}

export interface LanguageModelKind {
  /** `undefined`: the operator names one. */
  defaultModel: string | undefined;
  /** Highest sampling temperature; `undefined` if the model takes none. */
  maxTemperature: (model: string) => number | undefined;
  /** Whether the model takes a reasoning effort. */
  canReason: (model: string) => boolean;
  /** Settings of the agent's `runtimeConfig` that it takes. */
  callSettings: readonly CallSetting[];
  probe: (access: ProviderAccess, model: string) => ProbeRequest;
  /** Rejects with a `ProviderError`. */
  listModels: (access: ProviderAccess, signal: AbortSignal) => Promise<readonly string[]>;
  load: () => Promise<Connect<LanguageModel, LanguageModelOptions>>;
}
