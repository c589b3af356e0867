import {
  type AgentVoice,
  createFailoverSpeechToText,
  type LanguageModel,
  type ProviderFault,
  type SpeechToText,
} from "@parley/conversation";
import type { ProviderCircuits } from "../model-providers/provider-circuits.ts";
import type { ProviderSet } from "../model-providers/provider-set.ts";
import {
  scopeLanguageModel,
  scopeSpeechToText,
  scopeTextToSpeech,
} from "../model-providers/scoped-providers.ts";
import {
  watchLanguageModel,
  watchSpeechToText,
  watchTextToSpeech,
} from "../model-providers/watched-providers.ts";
import type { CallScope } from "../platform/call-scope.ts";
import type { MediaCall } from "./media-protocol.ts";

/** The providers of one call, in the order in which they take over from each other. */
export interface CallProviders {
  models: readonly [LanguageModel, ...LanguageModel[]];
  speechToText: SpeechToText;
  voices: readonly [AgentVoice, ...AgentVoice[]];
  /** Receives the failures of the call. */
  noteFailure: (fault: ProviderFault) => void;
}

/** The parts of a call that decide which providers it has. */
export type CallChoice = Pick<MediaCall, "organizationId" | "llmModel" | "fallbackVoiceId"> & {
  agent: Pick<MediaCall["agent"], "voice" | "language">;
};

/** Chooses a call's providers, those that fail at present last. An exception in one of them ends only this call. */
export function chooseCallProviders(
  { organizationId, llmModel, agent, fallbackVoiceId }: CallChoice,
  scope: CallScope,
  providers: ProviderSet,
  circuits: ProviderCircuits,
): CallProviders {
  const prefer = <T>(all: readonly [T, ...T[]], nameOf: (each: T) => string): [T, ...T[]] =>
    circuits.prefer(organizationId, all, nameOf);
  const answer = (name: string) => () => circuits.noteAnswer(organizationId, name);
  const choice = { voiceId: agent.voice, fallbackVoiceId, language: agent.language };
  const [model, ...fallbackModels] = prefer(providers.languageModelsFor(llmModel), modelName);
  const [voice, ...fallbackVoices] = prefer(providers.voicesFor(choice), ({ tts }) => tts.name);
  const toModel = (each: LanguageModel): LanguageModel =>
    watchLanguageModel(scopeLanguageModel(scope, each), answer(modelName(each)));
  const toVoice = ({ tts, voice: name }: AgentVoice): AgentVoice => ({
    tts: scopeTextToSpeech(scope, watchTextToSpeech(tts, answer(tts.name))),
    voice: name,
  });
  const [recognizer, ...others] = prefer(providers.recognizers, ({ stt }) => stt.name);
  const toRecognizer = ({ stt, ...each }: typeof recognizer): typeof recognizer => ({
    ...each,
    stt: watchSpeechToText(stt, answer(stt.name)),
  });
  const recognizers = [toRecognizer(recognizer), ...others.map(toRecognizer)] as const;
  return {
    models: [toModel(model), ...fallbackModels.map(toModel)],
    speechToText: scopeSpeechToText(scope, createFailoverSpeechToText({ recognizers })),
    voices: [toVoice(voice), ...fallbackVoices.map(toVoice)],
    noteFailure: (fault) => circuits.noteFailure(organizationId, fault),
  };
}

function modelName({ provider, modelId }: LanguageModel): string {
  return `${provider}/${modelId}`;
}
