import {
  Briefing,
  createAnswerJudge,
  summarizeCall,
  type VoiceConversation,
  type VoiceEvent,
} from "@parley/conversation";
import { isBuiltinResponder } from "../model-providers/language-models.ts";
import type { ProviderSet } from "../model-providers/provider-set.ts";
import { scopeTurnEnd, scopeVoiceActivity } from "../model-providers/scoped-providers.ts";
import type { CallScope } from "../platform/call-scope.ts";
import type { ConversationResources } from "./call-conversation.ts";
import { chooseCallProviders } from "./call-providers.ts";
import type { MediaCall, WarmTransferSetup } from "./media-protocol.ts";
import { WarmTransfer } from "./phone/warm-transfer.ts";

/** The call's side of its warm transfer. */
interface TransferHandlers {
  conversation: Pick<VoiceConversation, "history" | "noteTransfer">;
  onEvent: (event: VoiceEvent) => void;
}

/** Begins an attempt at a warm transfer, with the providers of the call that do not fail at present. */
export function createWarmTransfer(
  call: MediaCall & { warm: WarmTransferSetup },
  scope: CallScope,
  set: ProviderSet,
  { providers, circuits, speeds }: ConversationResources,
  { conversation, onEvent }: TransferHandlers,
): WarmTransfer {
  const { sampleRateHz, warm: setup } = call;
  const { voiceActivity, noiseSuppressor, turnEnd } = providers;
  const { models, speechToText, voices, noteFailure } = chooseCallProviders(call, scope, set, circuits);
  const hasModel = set.hasLanguageModel(call.llmModel);
  const [model] = models;
  const [{ tts, voice }, ...fallbackVoices] = voices;
  const agent = { ...call.agent, voice };
  const onStep = (text: string): void => conversation.noteTransfer(text);
  return new WarmTransfer({
    setup,
    sampleRateHz,
    agent,
    voices,
    onStep,
    createBriefing: (signal) =>
      new Briefing({
        sampleRateHz,
        agent,
        summary: summarizeCall(conversation.history, {
          models: hasModel ? models.filter((each) => !isBuiltinResponder(each)) : [],
          prompt: setup.summaryPrompt,
          language: agent.language,
          signal,
        }),
        stt: speechToText,
        tts,
        fallbackVoices,
        speeds,
        vad: scopeVoiceActivity(scope, voiceActivity),
        noiseSuppressor: call.hasNoiseSuppression ? noiseSuppressor : undefined,
        ...(turnEnd && { turnEnd: scopeTurnEnd(scope, turnEnd) }),
        ...(hasModel && { answerJudge: createAnswerJudge(model) }),
        onStep,
        onFault: (fault) => {
          noteFailure(fault);
          onEvent(fault);
        },
      }),
  });
}
