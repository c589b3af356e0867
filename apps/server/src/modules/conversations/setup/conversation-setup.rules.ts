import type { ConversationChannel, Variables } from "@parley/contract";
import type { AgentPhrases } from "@parley/conversation";
import type { KnowledgeSetup } from "../../../custom-tools/create-dialogue.ts";
import type { MediaCall, WarmTransferSetup } from "../../../media/media-protocol.ts";
import type { AgentDocument } from "../../agents/agent-document.rules.ts";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import { setBuiltInVariables, renderTemplate } from "./variables.rules.ts";
import { renderTool } from "./webhook-tool.rules.ts";

/** Everything that a conversation runs on, independent of calls and audio. */
export type ConversationSetup = Omit<
  MediaCall,
  "callId" | "organizationId" | "ownProviders" | "sampleRateHz"
>;

/** A conversation that is about to begin. */
export interface NewConversationSetup {
  /** `undefined` for a conversation without a call. */
  callId?: string | undefined;
  conversationId: string;
  agent: ResolvedAgent;
  /** Variables of the agent and of the call. Built-in variables take precedence. */
  variables: Variables;
  channel: ConversationChannel;
  direction: "inbound" | "outbound";
  /** `null` for a withheld number and for web calls. */
  fromNumber: string | null;
  toNumber: string | null;
  at: Date;
  /** What the agent knows of earlier conversations, beside its prompt. */
  memory?: string | undefined;
  /** Whether the other side is a tester: the agent has all its tools, and those that need a number change nothing. */
  isSimulated?: boolean;
  /** Whether tools are told that the conversation is a test. Default: false. */
  isTest?: boolean | undefined;
}

/** Returns the number of the other side; `undefined` if it is withheld, an extension, or if the call is a browser's. */
export function numberOfOtherSide(
  call: Pick<NewConversationSetup, "channel" | "direction" | "fromNumber" | "toNumber">,
): string | undefined {
  const number = call.direction === "outbound" ? call.toNumber : call.fromNumber;
  return call.channel === "phone" && number?.startsWith("+") === true ? number : undefined;
}

interface RenderedSetup {
  setup: ConversationSetup;
  /** Names in the agent's texts without a variable. */
  unknownVariables: string[];
}

/** Renders the agent's texts and tools with the variables, and chooses its first message. */
export function setUpConversation(conversation: NewConversationSetup): RenderedSetup {
  const {
    agent,
    callId = null,
    conversationId,
    channel,
    direction,
    fromNumber,
    toNumber,
    variables,
    isTest = false,
  } = conversation;
  const builtIn = setBuiltInVariables({
    callId,
    fromNumber,
    toNumber,
    direction,
    timezone: agent.document.timezone,
    now: conversation.at,
  });
  const { id: agentId, environment } = agent;
  const { setup, unknownVariables } = renderAgent(
    { callId, conversationId, agentId, environment, channel, fromNumber, toNumber, isTest, variables },
    {
      ...agent.document,
      firstMessage: firstMessageOf(agent.document, direction),
      // Mailboxes answer telephone calls, and place none.
      voicemailEnabled: agent.document.voicemailEnabled && channel === "phone" && direction === "outbound",
    },
    { ...variables, ...builtIn },
  );
  const hasNumber = conversation.isSimulated === true || numberOfOtherSide(conversation) !== undefined;
  const sendMessage = hasNumber ? setup.sendMessage : undefined;
  const instructions = [setup.instructions, conversation.memory ?? ""].filter(Boolean).join("\n\n");
  return { setup: { ...setup, instructions, hasDoNotCallTool: hasNumber, sendMessage }, unknownVariables };
}

/** Returns the agent with another first message for both directions; unchanged if there is none. */
export function withGreeting(agent: ResolvedAgent, firstMessage: string | undefined): ResolvedAgent {
  if (firstMessage === undefined) return agent;
  const greeting = { firstMessage, firstMessageOutbound: null, firstMessageMode: "static" as const };
  return { ...agent, document: { ...agent.document, ...greeting } };
}

/** Returns the agent with a greeting in its own words that continues an interrupted call. */
export function withContinuation(agent: ResolvedAgent): ResolvedAgent {
  const firstMessage = "The call was interrupted. Continue where it ended, without greeting again.";
  const greeting = { firstMessage, firstMessageOutbound: null, firstMessageMode: "generated" as const };
  return { ...agent, document: { ...agent.document, ...greeting } };
}

/**
 * Returns the agent's first message, which may differ for outbound calls. Null if the agent waits for the
 * caller.
 */
function firstMessageOf(document: AgentDocument, direction: "inbound" | "outbound"): string | null {
  const { firstMessage, firstMessageOutbound } = document;
  return direction === "outbound" ? (firstMessageOutbound ?? firstMessage) : firstMessage;
}

/** Renders the agent's document with the conversation's own and the built-in variables. */
export function renderAgent(
  conversation: ConversationSetup["conversation"],
  document: AgentDocument,
  variables: Variables,
): RenderedSetup {
  const unknownNames = new Set<string>();
  const render = (template: string): string => {
    const rendered = renderTemplate(template, variables);
    for (const name of rendered.unknownNames) unknownNames.add(name);
    return rendered.text;
  };
  const instructions = render(document.promptTemplate) + languageNote(document.language);
  const firstMessage = render(document.firstMessage ?? "");
  const abilities = toAbilities(document, render);
  const voicemail = toVoicemail(document, render);
  const tools = renderTools(document, variables, unknownNames);
  return {
    unknownVariables: [...unknownNames],
    setup: {
      conversation,
      tools,
      instructions,
      ...toModelSettings(document),
      ...abilities,
      flow:
        document.mode === "flow" && document.flowDefinition !== null
          ? { definition: document.flowDefinition, variables, language: document.language, isSpoken: true }
          : undefined,
      hasDoNotCallTool: false,
      fallbackVoiceId: document.fallbackVoiceId ?? undefined,
      hasNoiseSuppression: document.noiseCancellation === "on",
      isRecorded: document.recordingEnabled,
      agent: {
        firstMessage,
        firstMessageMode: document.firstMessageMode,
        firstMessageDelayMs: document.firstMessageDelayMs,
        startSpeaker: document.startSpeaker,
        turnTimeoutSeconds: document.turnTimeoutSeconds,
        silenceEndCallTimeoutSeconds: document.silenceEndCallTimeoutSeconds,
        maxConversationDurationSeconds: document.maxConversationDurationSeconds,
        disableInterruptions: document.disableInterruptions,
        interruptionThresholdMs: document.interruptionThresholdMs,
        interruptionIgnoreWords: document.interruptionIgnoreWords,
        ignoresBackchannels: document.defaultIgnoreWordsEnabled,
        minInterruptionWords: document.minInterruptionWords,
        language: document.language,
        phrases: toPhrases(document, render),
        voice: document.voiceId ?? "",
        voiceSpeed: document.voiceSpeed,
        voiceTemperature: document.voiceTemperature,
        voiceVolume: document.voiceVolume,
        sttKeyterms: document.sttKeyterms,
        ...voicemail,
      },
    },
  };
}

function toModelSettings(document: AgentDocument) {
  const { llmModel, llmTemperature, llmReasoningEffort, runtimeConfig } = document;
  return {
    llmModel,
    llmTemperature,
    llmReasoningEffort,
    runtimeConfig,
    knowledge: toKnowledgeSetup(document),
  };
}

/** `undefined` if the agent looks nothing up in documents. */
export function toKnowledgeSetup({
  knowledgeBaseIds,
  knowledgeBaseRetrievalMode: mode,
  knowledgeBaseChunks: limit,
  knowledgeBaseSimilarityThreshold: threshold,
}: AgentDocument): KnowledgeSetup | undefined {
  return mode === "off" || knowledgeBaseIds.length === 0
    ? undefined
    : { mode, knowledgeBaseIds, limit, threshold };
}

/** Renders the tools that the agent can use, and adds unknown names in them. */
function renderTools(
  { customTools }: AgentDocument,
  variables: Variables,
  unknownNames: Set<string>,
): ConversationSetup["tools"] {
  return customTools
    .filter(({ enabled }) => enabled)
    .map((tool) => {
      const rendered = renderTool(tool, variables);
      for (const name of rendered.unknownNames) unknownNames.add(name);
      return rendered.tool;
    });
}

/** Names the language to the model, which otherwise answers in that of the prompt. English is what models speak unasked. */
function languageNote(language: string): string {
  if (/^en(-|$)/i.test(language)) return "";
  const name = new Intl.DisplayNames("en", { type: "language" }).of(language) ?? language;
  return `\n\nThe conversation is in ${name}. Speak ${name}, unless these instructions say otherwise.`;
}

/** The agent's own phrases; those of its language replace the ones that it does not have. */
function toPhrases({ phrases }: AgentDocument, render: Render): AgentPhrases {
  const { fillers, ...texts } = phrases;
  const own = Object.entries(texts).flatMap(([name, text]) => (text === null ? [] : [[name, render(text)]]));
  return { ...Object.fromEntries(own), ...(fillers.length > 0 && { fillers: fillers.map(render) }) };
}

type Render = (template: string) => string;

/** What the agent can do beside talking and its own tools. */
function toAbilities(document: AgentDocument, render: Render) {
  return {
    endCall: toEndCall(document, render),
    keypad: toKeypad(document, render),
    sendMessage: toSendMessage(document, render),
    transfer: toTransfer(document, render),
  };
}

function toEndCall(
  { endCallEnabled, endCallRulesOverride }: AgentDocument,
  render: Render,
): ConversationSetup["endCall"] {
  return endCallEnabled ? toRules(endCallRulesOverride, render) : undefined;
}

function toKeypad(document: AgentDocument, render: Render): ConversationSetup["keypad"] {
  const { playKeypadTouchToneEnabled, playKeypadTouchToneDescriptionOverride: rules } = document;
  return playKeypadTouchToneEnabled ? toRules(rules, render) : undefined;
}

function toVoicemail(
  { voicemailEnabled, voicemailAction, voicemailMessage }: AgentDocument,
  render: Render,
): Pick<ConversationSetup["agent"], "voicemail"> {
  if (!voicemailEnabled) return {};
  return {
    voicemail: { message: voicemailAction === "leave_message" ? render(voicemailMessage ?? "") : "" },
  };
}

/** `undefined` unless the agent has a number to send messages from. */
function toSendMessage(document: AgentDocument, render: Render): ConversationSetup["sendMessage"] {
  const { messagingConnectionId, messagingConfig, phoneNumbers } = document;
  const { sendMessageEnabled, sendMessageDescriptionOverride: rules, fromNumber } = messagingConfig;
  const hasNumber = fromNumber !== null || phoneNumbers.length > 0;
  return sendMessageEnabled && messagingConnectionId !== null && hasNumber
    ? toRules(rules, render)
    : undefined;
}

/** Time of a transfer beside the ringing: host names, keys after the answer, signaling, and the introduction. */
const TRANSFER_MARGIN_SECONDS = 60;
/** The briefing of a person, which ends by itself before. */
const BRIEFING_SECONDS = 150;

function toTransfer(document: AgentDocument, render: Render): ConversationSetup["transfer"] {
  const { transferEnabled, transferRoutes, transferDescriptionOverride: rules } = document;
  if (!transferEnabled || transferRoutes.length === 0) return undefined;
  // The trunk may ring in vain before this node dials.
  const ringingSeconds = 2 * Math.max(...transferRoutes.map(({ dialTimeoutSeconds }) => dialTimeoutSeconds));
  const warm = toWarmTransfer(document, render);
  const briefingSeconds = warm === undefined ? 0 : BRIEFING_SECONDS;
  return {
    warm,
    ...toRules(rules, render),
    destinations: transferRoutes.map(({ to_number: to, condition }) => ({
      to,
      condition: render(condition),
    })),
    deadlineMs: (ringingSeconds + briefingSeconds + TRANSFER_MARGIN_SECONDS) * 1000,
  };
}

function toWarmTransfer(
  { transferMode, warmTransferConfig }: AgentDocument,
  render: Render,
): WarmTransferSetup | undefined {
  if (transferMode !== "warm") return undefined;
  const { holdMessage, summaryPrompt, introMessage } = warmTransferConfig;
  return {
    holdMessage: render(holdMessage ?? ""),
    hasHoldMusic: warmTransferConfig.holdMusicEnabled,
    summaryPrompt: render(summaryPrompt ?? ""),
    introMessage: render(introMessage ?? ""),
    isRecordingContinued: warmTransferConfig.continueRecordingAfterTransfer,
  };
}

function toRules(rules: string | null, render: Render): { rules?: string } {
  return rules === null ? {} : { rules: render(rules) };
}
