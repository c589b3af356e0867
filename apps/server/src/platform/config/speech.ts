import { LOCAL_VOICES, type SpeechFitSettings } from "@parley/providers/fit";
import { type EnvironmentReader, integerWithin } from "./environment-reader.ts";
import { OPENAI_BASE_URL } from "./language-model.ts";

/** Server with OpenAI's audio API. */
interface OpenAiSpeechConfig {
  provider: "openai";
  baseUrl: string;
  apiKey?: string;
  model?: string;
}
type SpeechToTextConfig =
  | { provider: "local" }
  | { provider: "deepgram"; apiKey: string; baseUrl?: string }
  | OpenAiSpeechConfig;
type TextToSpeechConfig =
  | { provider: "local" }
  | { provider: "elevenlabs"; apiKey: string; baseUrl?: string }
  | OpenAiSpeechConfig;

export interface SpeechConfig {
  speechToText: SpeechToTextConfig;
  textToSpeech: TextToSpeechConfig;
  /** Local models to load, as provider or as fallback. */
  localSpeech: { hasSpeechToText: boolean; hasTextToSpeech: boolean };
  /** Choices that are otherwise made by measuring. */
  speechFit: SpeechFitSettings;
  /** Calls with local speech at a time; `undefined`: as many as the measured speeds allow. */
  maxLocalCalls: number | undefined;
}

const MAX_LOCAL_CALLS = 10_000;
const MAX_THREADS = 64;

export function readSpeech(reader: EnvironmentReader): SpeechConfig {
  const stt = reader.parseOrDefault("PARLEY_STT", speechProviderIn(["deepgram", "openai"]));
  const tts = reader.parseOrDefault("PARLEY_TTS", speechProviderIn(["elevenlabs", "openai"]));
  return {
    speechToText: readSpeechToText(reader, stt.name),
    textToSpeech: readTextToSpeech(reader, tts.name),
    localSpeech: { hasSpeechToText: stt.hasLocal, hasTextToSpeech: tts.hasLocal },
    speechFit: readSpeechFit(reader),
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

interface SpeechChoice<Name> {
  name: Name;
  /** Whether the local models are the provider or its fallback. */
  hasLocal: boolean;
}

/** Parses one provider, or `provider,local` with the local models as fallback. */
function speechProviderIn<const T extends string>(
  names: readonly T[],
): (value: string) => SpeechChoice<T | "local"> {
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

function readSpeechToText(
  reader: EnvironmentReader,
  provider: SpeechToTextConfig["provider"],
): SpeechToTextConfig {
  if (provider === "local") return { provider };
  if (provider === "openai") return readOpenAiSpeech(reader, "PARLEY_STT_MODEL", "PARLEY_STT=openai");
  const baseUrl = reader.streamingUrl("DEEPGRAM_BASE_URL");
  const apiKey = reader.requiredText("DEEPGRAM_API_KEY", "PARLEY_STT=deepgram");
  return { provider, apiKey, ...(baseUrl !== undefined && { baseUrl }) };
}

function readTextToSpeech(
  reader: EnvironmentReader,
  provider: TextToSpeechConfig["provider"],
): TextToSpeechConfig {
  if (provider === "local") return { provider };
  if (provider === "openai") return readOpenAiSpeech(reader, "PARLEY_TTS_MODEL", "PARLEY_TTS=openai");
  const baseUrl = reader.streamingUrl("ELEVENLABS_BASE_URL");
  const apiKey = reader.requiredText("ELEVENLABS_API_KEY", "PARLEY_TTS=elevenlabs");
  return { provider, apiKey, ...(baseUrl !== undefined && { baseUrl }) };
}

/** OpenAI requires a key; another server may not. */
function readOpenAiSpeech(
  reader: EnvironmentReader,
  modelVariable: "PARLEY_STT_MODEL" | "PARLEY_TTS_MODEL",
  because: string,
): OpenAiSpeechConfig {
  const baseUrl = reader.url("PARLEY_SPEECH_BASE_URL");
  const apiKey =
    reader.text("PARLEY_SPEECH_BASE_URL") === undefined
      ? reader.requiredText("OPENAI_API_KEY", because)
      : reader.text("OPENAI_API_KEY");
  const model = reader.text(modelVariable);
  return {
    provider: "openai",
    baseUrl: baseUrl ?? OPENAI_BASE_URL,
    ...(apiKey !== undefined && { apiKey }),
    ...(model !== undefined && { model }),
  };
}
