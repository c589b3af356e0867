import {
  createKnowledgeTool,
  Dialogue,
  type DialogueFlow,
  type DialogueTool,
  type LanguageModel,
  type ModelCallSettings,
  type SearchKnowledge,
  type TranscriptEntry,
} from "@parley/conversation";
import type { ToolMock } from "@parley/contract";
import type { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import { withMocks } from "./tool-mocks.ts";
import {
  createWebhookTool,
  type SignRequest,
  type ToolConversation,
  type WebhookTool,
} from "./webhook-tool.ts";

/** What a dialogue runs on, with audio or without. */
export interface DialogueSetup {
  /** Prompt with rendered variables. */
  instructions: string;
  /** `service-standard`, or `provider/model`. */
  llmModel: string;
  llmTemperature: number;
  llmReasoningEffort: "none" | "low" | "medium" | "high";
  runtimeConfig: ModelCallSettings;
  /** `undefined` if the agent cannot hang up. `rules` replaces the built-in rules for it, `farewell` is said if it hangs up without a word. */
  endCall: { rules?: string; farewell?: string } | undefined;
  /** `undefined` if the language model leads the conversation. */
  flow: DialogueFlow | undefined;
  tools: readonly WebhookTool[];
  /** Answers in place of the servers of tools, in test runs. Default: none. */
  toolMocks?: readonly ToolMock[];
  /** `undefined` if the agent looks nothing up in documents. */
  knowledge: KnowledgeSetup | undefined;
  /** Facts about the conversation that tools receive. */
  conversation: ToolConversation;
}

/** What a conversation looks up in documents. */
export interface KnowledgeSetup {
  mode: "automatic" | "tool";
  knowledgeBaseIds: readonly string[];
  /** Maximum number of passages. */
  limit: number;
  /** Minimum score of a passage. */
  threshold: number;
}

/** What the process of a dialogue contributes to it. */
export interface DialogueResources {
  /** The model, then those that replace it after a failure. */
  models: readonly [LanguageModel, ...LanguageModel[]];
  outbound: Pick<OutboundClient, "send">;
  sign: SignRequest;
  /** Searches the conversation's knowledge bases. */
  searchKnowledge: SearchKnowledge;
  /** Time for which a reply waits for passages. */
  knowledgeDeadlineMs: number;
  /** Tools in addition to the agent's own. */
  builtInTools?: readonly DialogueTool[];
  /** Earlier entries, when a conversation is resumed. */
  transcript?: readonly TranscriptEntry[];
}

/** Creates the dialogue of a conversation, for calls and for text. Its owner closes it. */
export function createDialogue(
  setup: DialogueSetup,
  {
    models: [model, ...fallbackModels],
    outbound,
    sign,
    searchKnowledge,
    knowledgeDeadlineMs,
    builtInTools = [],
    transcript = [],
  }: DialogueResources,
): Dialogue {
  const { instructions, tools, toolMocks = [], conversation, endCall, flow, knowledge } = setup;
  const { llmTemperature, llmReasoningEffort, runtimeConfig } = setup;
  const createTool = (tool: WebhookTool): DialogueTool =>
    withMocks(createWebhookTool(tool, conversation, outbound, sign), toolMocks);
  return new Dialogue({
    model,
    fallbackModels,
    instructions,
    tools: [
      ...tools.map(createTool),
      ...builtInTools,
      ...(knowledge?.mode === "tool" ? [createKnowledgeTool(searchKnowledge)] : []),
    ],
    ...(knowledge?.mode === "automatic" && {
      knowledge: { search: searchKnowledge, deadlineMs: knowledgeDeadlineMs },
    }),
    temperature: llmTemperature,
    callSettings: runtimeConfig,
    ...(llmReasoningEffort !== "none" && { reasoningEffort: llmReasoningEffort }),
    ...(endCall !== undefined && { endCall }),
    flow,
    transcript,
  });
}
