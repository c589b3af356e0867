import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { KNOWLEDGE_NOTE, type LanguageModel, ProviderError, SPEAK_NOW } from "@parley/conversation";
import { composeReply, type Exchange, type Reply } from "./compose-reply.ts";
import { FactIndex, type Embed } from "./fact-index.ts";
import { readLiveInstructions } from "./live-instructions.ts";
import { readPrompt, type PromptKnowledge } from "./prompt-knowledge.ts";

export interface BuiltinResponderOptions {
  /**
   * Sentence embeddings of length 1; MiniLM's in Parley. While it rejects with a `ProviderError`, texts are compared by
   * words alone.
   */
  embed: Embed;
}

/** Number of prompts whose embedded facts are kept; a call's prompt is the same in every turn. */
const MAX_PROMPTS = 64;

/** Name of the dialogue's built-in tool, the only one that this model calls. */
const END_CALL_TOOL_NAME = "end_call";

interface Prompt {
  knowledge: PromptKnowledge;
  index: Promise<FactIndex>;
}

/**
 * A language model without a neural network: it answers from the agent's own prompt by reading out the most similar
 * sentence, and says so if none is similar enough. It greets, thanks, says goodbye (and hangs up with `end_call` if
 * offered), and invents nothing. It reads out instructions to speak word for word; of other instructions it says what they
 * order to say ("tell the caller that …") in its next reply, and answers from what they state. English only; the same
 * input always gives the same reply.
 */
export function createBuiltinResponder(options: BuiltinResponderOptions): LanguageModel {
  const prompts = new Map<string, Prompt>();
  const promptOf = (text: string): Prompt => {
    const known = prompts.get(text) ?? openPrompt(text, options.embed);
    // Moves the prompt to the end: the least recently used one is dropped first.
    prompts.delete(text);
    prompts.set(text, known);
    known.index.catch(() => prompts.delete(text));
    const oldest = prompts.keys().next().value;
    if (prompts.size > MAX_PROMPTS && oldest !== undefined) prompts.delete(oldest);
    return known;
  };
  const respond = async (call: LanguageModelV4CallOptions): Promise<Reply> => {
    const signal = call.abortSignal ?? new AbortController().signal;
    signal.throwIfAborted();
    const { instructions, exchange, toSay, ordered, passages } = readConversation(call.prompt);
    if (toSay?.isAnswerWanted === false) return { text: toSay.text, endsCall: false };
    const prompt = promptOf(instructions);
    const found = passages === "" ? undefined : promptOf(passages);
    const knowledge = withFacts(prompt.knowledge, found?.knowledge);
    const canEndCall = call.tools?.some((tool) => tool.name === END_CALL_TOOL_NAME) === true;
    const rank = async (text: string, words: readonly string[]) => {
      try {
        const [vector = new Float32Array()] = await options.embed([text], signal);
        const indexes = await Promise.all([prompt.index, ...(found === undefined ? [] : [found.index])]);
        return indexes.flatMap((index) => index.rank(vector, words)).sort((a, b) => b.score - a.score);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError)) throw error;
        return new FactIndex(knowledge.facts, []).rankByWords(words);
      }
    };
    const reply = await composeReply({ knowledge, exchange, rank });
    signal.throwIfAborted();
    if (toSay !== undefined) return { text: `${reply.text} ${toSay.text}`.trim(), endsCall: false };
    const sentences = reply.endsCall ? [...ordered, reply.text] : [reply.text, ...ordered];
    return { text: sentences.join(" ").trim(), endsCall: reply.endsCall && canEndCall };
  };
  return {
    specificationVersion: "v4",
    provider: "parley",
    modelId: "builtin-responder",
    supportedUrls: {},
    canJudge: false,
    prepare: (instructions) => void promptOf(instructions),
    doStream: async (call) => streamReply(await respond(call)),
    doGenerate: async (call) => {
      const { text, endsCall } = await respond(call);
      return {
        content: [
          ...(text === "" ? [] : [{ type: "text" as const, text }]),
          ...(endsCall ? [END_CALL_PART] : []),
        ],
        finishReason: toFinishReason(endsCall),
        usage: NO_USAGE,
        warnings: [],
      };
    },
  };
}

function withFacts(knowledge: PromptKnowledge, more: PromptKnowledge | undefined): PromptKnowledge {
  return { ...knowledge, facts: [...knowledge.facts, ...(more?.facts ?? [])] };
}

function openPrompt(text: string, embed: Embed): Prompt {
  const knowledge = readPrompt(text);
  // Not aborted with the first turn that needs it, because the next turn needs it too.
  return { knowledge, index: FactIndex.create(knowledge.facts, embed, new AbortController().signal) };
}

/** Reads the agent's instructions, which come first, and the end of the conversation. */
function readConversation(prompt: readonly LanguageModelV4Message[]): {
  instructions: string;
  exchange: Exchange;
  toSay: { text: string; isAnswerWanted: boolean } | undefined;
  /** Sentences that instructions order to say in this reply. */
  ordered: readonly string[];
  /** Passages of documents for this reply, in the form of a prompt; empty: none. */
  passages: string;
} {
  const first = prompt[0];
  const talk = prompt.map((message) => ({ role: message.role, text: joinText(message) }));
  const last = prompt.at(-1);
  const [before = "", ...wanted] = last?.role === "system" ? last.content.split(SPEAK_NOW) : [];
  const lastReplyAt = talk.findLastIndex(({ role }) => role === "assistant");
  const { toSay: ordered, stated } = readLiveInstructions(
    talk
      .map(({ role, text }, at) => ({
        isInstruction: role === "system" && at > 0,
        text,
        isNew: at > lastReplyAt,
      }))
      .filter(({ isInstruction, text }) => isInstruction && !text.includes(SPEAK_NOW)),
  );
  const userTexts = talk.filter((each) => each.role === "user").map((each) => each.text);
  return {
    toSay: wanted.length === 0 ? undefined : { text: wanted.join(SPEAK_NOW), isAnswerWanted: before !== "" },
    // Under a heading of its own, so that it does not belong to the prompt's last one.
    instructions: [
      first?.role === "system" ? first.content : "",
      ...(stated.length > 0 ? ["# Information", ...stated] : []),
    ].join("\n"),
    ordered,
    passages: readPassages(last),
    exchange: {
      // Instructions in between do not change that the caller awaits an answer.
      input: talk.findLast((each) => each.role !== "system")?.role === "user" ? userTexts.at(-1) : undefined,
      earlierInputs: userTexts.slice(0, -1),
      lastReply: talk.findLast((each) => each.role === "assistant" && each.text !== "")?.text,
    },
  };
}

/** The passages that the dialogue gives with the last message. */
function readPassages(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  const given = message.content.findLast(
    (part) => part.type === "text" && part.text.startsWith(KNOWLEDGE_NOTE),
  );
  if (given?.type !== "text") return "";
  const texts = given.text.matchAll(/<passage [^>]*>\n([^<]*)\n<\/passage>/g);
  return Array.from(texts, ([, text = ""]) => `# Information\n${text}`).join("\n");
}

function joinText(message: LanguageModelV4Message): string {
  if (message.role === "system") return message.content;
  const texts: string[] = [];
  for (const part of message.content)
    if (part.type === "text" && !part.text.startsWith(KNOWLEDGE_NOTE)) texts.push(part.text);
  return texts.join(" ").trim();
}

const END_CALL_PART = {
  type: "tool-call" as const,
  toolCallId: "end_call-1",
  toolName: END_CALL_TOOL_NAME,
  input: "{}",
};

/** No usage is reported, because there are no tokens. */
const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function toFinishReason(endsCall: boolean): LanguageModelV4FinishReason {
  return { unified: endsCall ? "tool-calls" : "stop", raw: undefined };
}

function streamReply({ text, endsCall }: Reply): LanguageModelV4StreamResult {
  const id = "reply";
  const words = text.match(/\S+\s*/g) ?? [];
  const parts: LanguageModelV4StreamPart[] = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id },
    ...words.map((delta) => ({ type: "text-delta" as const, id, delta })),
    { type: "text-end", id },
    ...(endsCall ? [END_CALL_PART] : []),
    { type: "finish", usage: NO_USAGE, finishReason: toFinishReason(endsCall) },
  ];
  return { stream: ReadableStream.from(parts) };
}
