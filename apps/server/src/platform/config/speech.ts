import { LOCAL_VOICES, type SpeechFitSettings } from "@parley/providers/fit";
import {
  type RecognizerId,
  recognizerIds,
  splitId,
  type VoiceProviderId,
  voiceProviderIds,
} from "@parley/providers/registry";
import { type EnvironmentReader, integerWithin } from "./environment-reader.ts";
import { type ProviderAccessById, requireAccess } from "./provider-access.ts";

/** A provider of speech; `model` is absent if the provider chooses it. */
type SpeechChoice<Id> = { provider: "local" } | { provider: Id; model?: string };

export interface SpeechConfig {
  speechToText: SpeechChoice<RecognizerId>;
  /** Voices of agents that name none. */
  textToSpeech: SpeechChoice<VoiceProviderId>;
  /** Local models to load, as provider or as fallback. */
  localSpeech: { hasSpeechToText: boolean; hasTextToSpeech: boolean };
  /** Choices that are otherwise made by measuring. */
  speechFit: SpeechFitSettings;
  /** Calls with local speech at a time; `undefined`: as many as the measured speeds allow. */
  maxLocalCalls: number | undefined;
  /** Voice of testers; `undefined`: chosen for each agent. */
  testerVoice: string | undefined;
}

const MAX_LOCAL_CALLS = 10_000;
const MAX_THREADS = 64;

export function readSpeech(reader: EnvironmentReader, access: ProviderAccessById): SpeechConfig {
  const stt = reader.parseOrDefault("PARLEY_STT", speechProviderIn(recognizerIds));
  const tts = reader.parseOrDefault("PARLEY_TTS", speechProviderIn(voiceProviderIds));
  const choose = <Id extends RecognizerId | VoiceProviderId>(
    variable: "PARLEY_STT" | "PARLEY_TTS",
    provider: Id | "local",
  ): SpeechChoice<Id> => {
    if (provider === "local") return { provider };
    requireAccess(reader, access, provider, `${variable}=${provider}`);
    const model = reader.text(`${variable}_MODEL`);
    return { provider, ...(model !== undefined && { model }) };
  };
  return {
    speechToText: choose("PARLEY_STT", stt.name),
    textToSpeech: choose("PARLEY_TTS", tts.name),
    localSpeech: { hasSpeechToText: stt.hasLocal, hasTextToSpeech: tts.hasLocal },
    speechFit: readSpeechFit(reader),
    testerVoice: readTesterVoice(reader, access),
    maxLocalCalls: reader.parse("PARLEY_LOCAL_CALLS", integerWithin(1, MAX_LOCAL_CALLS)),
  };
}

function readSpeechFit(reader: EnvironmentReader): SpeechFitSettings {
  const recognizer = reader.parse("PARLEY_LOCAL_RECOGNIZER", parseRecognizer);
  const voice = reader.parse("PARLEY_LOCAL_VOICE", parseLocalVoice);
  const kokoroThreads = reader.parse("PARLEY_LOCAL_VOICE_THREADS", integerWithin(1, MAX_THREADS));
  return {
    ...(recognizer !== undefined && { recognizer }),
    ...(voice !== undefined && { voice }),
    ...(kokoroThreads !== undefined && { kokoroThreads }),
  };
}

function parseRecognizer(value: string): "base" | "tiny" {
  if (value === "base" || value === "tiny") return value;
  throw new Error(`must be base or tiny, not "${value}"`);
}

function parseLocalVoice(value: string): string {
  if (LOCAL_VOICES.some(({ id }) => id === value)) return value;
  throw new Error(`must be a local voice such as kokoro/af_heart or dittli/male, not "${value}"`);
}

function readTesterVoice(reader: EnvironmentReader, access: ProviderAccessById): string | undefined {
  const voice = reader.parse("PARLEY_TESTER_VOICE", (value) => {
    const isKnown = LOCAL_VOICES.some(({ id }) => id === value);
    if (isKnown || splitId(voiceProviderIds, value) !== undefined) return value;
    throw new Error(`must be a voice such as kokoro/af_heart or elevenlabs/<id>, not "${value}"`);
  });
  const named = voice === undefined ? undefined : splitId(voiceProviderIds, voice);
  if (named !== undefined)
    requireAccess(reader, access, named.provider, `PARLEY_TESTER_VOICE=${named.provider}/…`);
  return voice;
}

interface NamedProvider<Name> {
  name: Name;
  /** Whether the local models are the provider or its fallback. */
  hasLocal: boolean;
}

/** Parses one provider, or `provider,local` with the local models as fallback. */
function speechProviderIn<const T extends string>(
  names: readonly T[],
): (value: string) => NamedProvider<T | "local"> {
  return (value) => {
    const [first, second, ...more] = value.split(",").map((each) => each.trim());
    if (first === "local" && second === undefined) return { name: "local", hasLocal: true };
    const name = names.find((each) => each === first);
    if (name !== undefined && (second === undefined || second === "local") && more.length === 0) {
      return { name, hasLocal: second === "local" };
    }
    throw new Error(
      `must be one of local, ${names.map((each) => `${each}, "${each},local"`).join(", ")}, not "${value}"`,
    );
  };
}
