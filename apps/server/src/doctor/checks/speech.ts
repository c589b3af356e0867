import { errorMessage } from "@parley/conversation/error-message";
import type { TextToSpeechEvent } from "@parley/conversation";
import { availableParallelism } from "node:os";
import { chooseSpeechFit, readSpeedRecord } from "@parley/providers/local";
import { configuredRegistries, findMissingModels } from "@parley/providers/models";
import {
  type RecognizerId,
  voiceProviderIds,
  voiceProviderKind,
  type VoiceProviderId,
} from "@parley/providers/registry";
import { loadRecognizer, loadTextToSpeech } from "../../model-providers/speech-providers.ts";
import { LocalSpeechPlaces } from "../../inference/local-speech-places.ts";
import { modelGroupsOf } from "../../inference/fetch-models.ts";
import type { Config } from "../../platform/config/config.ts";
import { type Check, failed, type Finding, ok, skipped, warning } from "../finding.ts";

const REGISTRY_TIMEOUT_MS = 8_000;
const SAMPLE_RATE_HZ = 16_000;

type SpeechConfig = Pick<
  Config,
  | "modelsDirectory"
  | "localSpeech"
  | "speechFit"
  | "maxLocalCalls"
  | "languageModel"
  | "speechToText"
  | "textToSpeech"
  | "providerAccess"
>;

/** Whether the local models are there and whole, else whether they can be fetched. */
export function modelsCheck(config: SpeechConfig): Check {
  const { modelsDirectory } = config;
  return {
    name: "models",
    run: async (signal) => {
      const groups = modelGroupsOf(config);
      const missing = await findMissingModels({ modelsDir: modelsDirectory, groups, signal, mustHash: true });
      if (missing.length === 0) return ok(`The models (${groups.join(", ")}) are in ${modelsDirectory}.`);
      const megabytes = Math.ceil(missing.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
      const text = `${missing.length} model files (${megabytes} MB) are missing or damaged in ${modelsDirectory}`;
      const { npm } = await configuredRegistries();
      if (await answers(npm, signal))
        return warning(`${text}; the next start downloads them.`, "Download them now: npm run models");
      return failed(
        `${text}, and ${npm} does not answer.`,
        `Run "npm run models" on a machine with internet access, then copy its models folder to ${modelsDirectory}.`,
      );
    },
  };
}

/** Which local models fit this machine, as measured at an earlier start, and how many calls they serve. */
export function speechFitCheck(config: SpeechConfig): Check {
  const { modelsDirectory: modelsDir, localSpeech, speechFit } = config;
  return {
    name: "speech fit",
    run: async () => {
      if (!localSpeech.hasSpeechToText && !localSpeech.hasTextToSpeech)
        return skipped("No local speech models are used.");
      const cores = availableParallelism();
      const record = await readSpeedRecord({ modelsDir, cores });
      if (record === undefined) return skipped("The next start measures the speed of the speech models.");
      const fit = chooseSpeechFit(record.speeds, cores, speechFit);
      const places = new LocalSpeechPlaces(config);
      places.useFit(fit);
      const { free } = places;
      const calls = free === Infinity ? "" : ` Calls with local speech at a time: ${free}.`;
      const text = `${fit.summary.charAt(0).toUpperCase()}${fit.summary.slice(1)}.${calls}`;
      if (free > 1) return ok(text);
      return warning(text, "Use a faster machine, or a vendor's speech (PARLEY_STT, PARLEY_TTS).");
    },
  };
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(REGISTRY_TIMEOUT_MS)]);
    const response = await fetch(url, { method: "HEAD", signal: limits });
    return response.status < 500;
  } catch {
    return false;
  }
}

/** Whether the vendors of speech take the keys that are set. */
export function speechVendorsCheck(config: SpeechConfig): Check {
  const { speechToText, textToSpeech, providerAccess } = config;
  return {
    name: "speech vendors",
    run: async (signal) => {
      const findings: Finding[] = [];
      if (speechToText.provider !== "local")
        findings.push(await tryRecognizer(speechToText.provider, config, signal));
      for (const id of voiceProviderIds)
        if (
          providerAccess[id] !== undefined &&
          (id === textToSpeech.provider || id !== speechToText.provider)
        )
          findings.push(await tryVoice(id, config, signal));
      return findings.length > 0 ? findings : ok("Speech recognition and voices are local.");
    },
  };
}

async function tryVoice(id: VoiceProviderId, config: SpeechConfig, signal: AbortSignal): Promise<Finding> {
  const closers: (() => Promise<void>)[] = [];
  const tts = await loadTextToSpeech(id, config, closers);
  const startedAtMs = performance.now();
  try {
    const event = await new Promise<TextToSpeechEvent>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("no answer in time")));
      const stream = tts.open({
        voice: voiceProviderKind(id).defaultVoice,
        sampleRateHz: SAMPLE_RATE_HZ,
        language: "en",
        speed: 1,
        onEvent: (each) => {
          if (each.type === "audio" || each.type === "failed") resolve(each);
        },
      });
      stream.speak(1, "Hello.");
      stream.end();
      signal.addEventListener("abort", () => stream.close());
    });
    if (event.type === "failed") return describeFailure("PARLEY_TTS", event.error.message);
    return ok(`${tts.name} speaks; first sound after ${Math.round(performance.now() - startedAtMs)} ms.`);
  } catch (error) {
    return describeFailure("PARLEY_TTS", errorMessage(error));
  } finally {
    await Promise.all(closers.map((close) => close()));
  }
}

async function tryRecognizer(id: RecognizerId, config: SpeechConfig, signal: AbortSignal): Promise<Finding> {
  const closers: (() => Promise<void>)[] = [];
  const { stt } = await loadRecognizer(id, config, closers);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const stream = stt.open({
    sampleRateHz: SAMPLE_RATE_HZ,
    language: "en",
    keyterms: [],
    onEvent: (event) => {
      if (event.type === "failed") resolve(event.error.message);
      if (event.type === "flushed") resolve(undefined);
    },
  });
  signal.addEventListener("abort", () => resolve("no answer in time"));
  try {
    stream.startUtterance(0);
    stream.write(new Int16Array(SAMPLE_RATE_HZ / 2));
    stream.flush(1);
    const problem = await promise;
    return problem === undefined ? ok(`${stt.name} answers.`) : describeFailure("PARLEY_STT", problem);
  } finally {
    stream.close();
    await Promise.all(closers.map((close) => close()));
  }
}

function describeFailure(variable: "PARLEY_STT" | "PARLEY_TTS", reason: string): Finding {
  return failed(
    `${reason}.`,
    `Check the provider's key and URL, or add the local models as fallback (${variable}=…,local).`,
  );
}
