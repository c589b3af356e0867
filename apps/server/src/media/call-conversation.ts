import {
  createAnswerJudge,
  createDoNotCallTool,
  createKeypadTool,
  createMessageTool,
  createTesterModel,
  createTransferTool,
  type DialogueTool,
  type PhraseBook,
  type SearchKnowledge,
  type TransferResult,
  standardTexts,
  VoiceConversation,
  type VoiceConversationOptions,
  type VoiceSpeeds,
} from "@parley/conversation";
import { createDialogue } from "../custom-tools/create-dialogue.ts";
import type { SignRequest } from "../custom-tools/webhook-tool.ts";
import { isBuiltinResponder } from "../model-providers/language-models.ts";
import type { Providers } from "../model-providers/conversation-providers.ts";
import type { ProviderSet } from "../model-providers/provider-set.ts";
import type { ProviderCircuits } from "../model-providers/provider-circuits.ts";
import { scopeTurnEnd, scopeVoiceActivity } from "../model-providers/scoped-providers.ts";
import type { CallScope } from "../platform/call-scope.ts";
import type { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import { chooseCallProviders } from "./call-providers.ts";
import type { MediaCall } from "./media-protocol.ts";

/** Resources that the conversations of a media process share. */
export interface ConversationResources {
  providers: Omit<Providers, "standard" | "own">;
  circuits: ProviderCircuits;
  phrases: PhraseBook;
  speeds: VoiceSpeeds;
  outbound: OutboundClient;
}

/** The call's side of its conversation. */
export interface ConversationHandlers {
  /** Signs the request of a tool. */
  sign: SignRequest;
  /** Sends a text message to the other side. Rejects with a reason for the model. */
  sendText: (text: string) => Promise<void>;
  /** Sends keys to the peer. */
  press: (keys: string, signal: AbortSignal) => Promise<void>;
  /** Searches the agent's knowledge bases. Rejects with a reason for the model. */
  searchKnowledge: SearchKnowledge;
  /** Puts the peer's number on the do-not-call list. Rejects with a reason for the model. */
  addToDoNotCall: () => Promise<void>;
  /** Transfers the call to the destination with this index. */
  transfer: (destination: number, signal: AbortSignal) => Promise<TransferResult>;
  onEvent: VoiceConversationOptions["onEvent"];
  onDecision: VoiceConversationOptions["onDecision"] | undefined;
}

/** A search takes some 20 ms, and mostly ends before the caller's turn does. */
const KNOWLEDGE_DEADLINE_MS = 300;

/** Silence after which a tester takes its turn: a pause in the agent's speech on a busy machine is shorter. */
const TESTER_PATIENCE_MS = 1_200;

/** Creates the conversation of a call. An exception in one of its providers ends only this call. */
export function createCallConversation(
  call: MediaCall,
  scope: CallScope,
  set: ProviderSet,
  { providers, circuits, phrases, speeds, outbound }: ConversationResources,
  handlers: ConversationHandlers,
): VoiceConversation {
  const { sampleRateHz, agent, endCall, tester } = call;
  const { sign, searchKnowledge, onEvent, onDecision } = handlers;
  const { voiceActivity, noiseSuppressor, turnEnd } = providers;
  const { models, speechToText, voices, noteFailure } = chooseCallProviders(call, scope, set, circuits);
  const [model] = models;
  const ownModels = tester === undefined ? models : ([createTesterModel({ ...tester, model })] as const);
  const [{ tts, voice }, ...fallbackVoices] = voices;
  const { reminder, farewell } = { ...standardTexts(agent.language), ...agent.phrases };
  // The built-in responder cannot ask in its own words.
  const ownPhrases = isBuiltinResponder(model) ? { ...agent.phrases, reminder } : agent.phrases;
  return new VoiceConversation({
    sampleRateHz,
    agent: { ...agent, voice, ...(ownPhrases && { phrases: ownPhrases }) },
    dialogue: createDialogue(
      // The last words of a tester with lines are its last line.
      { ...call, endCall: endCall && (tester?.lines === undefined ? { ...endCall, farewell } : endCall) },
      {
        models: ownModels,
        outbound,
        sign,
        searchKnowledge,
        knowledgeDeadlineMs: KNOWLEDGE_DEADLINE_MS,
        builtInTools: createBuiltInTools(call, handlers),
      },
    ),
    stt: speechToText,
    tts,
    fallbackVoices,
    // A tester has no phrases: its silence is the agent's to deal with.
    ...(tester === undefined ? { phrases } : { endpointingDelayMs: TESTER_PATIENCE_MS }),
    speeds,
    vad: scopeVoiceActivity(scope, voiceActivity),
    noiseSuppressor: call.hasNoiseSuppression ? noiseSuppressor : undefined,
    ...(turnEnd && { turnEnd: scopeTurnEnd(scope, turnEnd) }),
    ...(set.hasLanguageModel(call.llmModel) && { answerJudge: createAnswerJudge(model) }),
    ...(onDecision && { onDecision }),
    onEvent: (event) => {
      if (event.type === "fault") noteFailure(event);
      onEvent(event);
    },
  });
}

/** The tools that need the call. */
function createBuiltInTools(
  { keypad, hasDoNotCallTool, transfer: destinations, sendMessage }: MediaCall,
  { press, addToDoNotCall, transfer, sendText }: ConversationHandlers,
): DialogueTool[] {
  return [
    ...(keypad === undefined ? [] : [createKeypadTool({ ...keypad, press })]),
    ...(hasDoNotCallTool ? [createDoNotCallTool(addToDoNotCall)] : []),
    ...(destinations === undefined ? [] : [createTransferTool({ ...destinations, transfer })]),
    ...(sendMessage === undefined ? [] : [createMessageTool({ ...sendMessage, send: sendText })]),
  ];
}
