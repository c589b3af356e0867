import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { randomUUID } from "node:crypto";
import type { LanguageModel } from "../providers/language-model.ts";
import { systemTimers, type Timers } from "../timers.ts";
import type { KnowledgePassage, TranscriptEntry } from "../transcript.ts";
import { Deadline } from "./deadline.ts";
import { followFlow, type FlowPorts } from "./follow-flow.ts";
import { type DialogueFlow, FlowPosition, inputsOf } from "./flow-position.ts";
import { type DialogueKnowledge, KnowledgeLookup, queryOf, renderKnowledge } from "./knowledge.ts";
import { EXIT_TOOL_NAME, readExit } from "./model-forms.ts";
import { streamModel, type ModelDeadlines, type ModelPart } from "./model-stream.ts";
import { ModelFailover } from "./model-failover.ts";
import { trimToWindow } from "./context-window.ts";
import {
  addMessage,
  addText,
  addToolCall,
  addToolResult,
  countCharacters,
  type OpenReply,
  type ReplyPart,
  settledEntries,
  toMessage,
  type ToolResultEntry,
  toResultEntry,
} from "./open-reply.ts";
import { renderPrompt } from "./prompt.ts";
import { endCallDefinition, END_CALL_TOOL_NAME, type DialogueTool } from "./tool.ts";
import { type ToolCall, ToolCalls, type ToolOutcome } from "./tool-calls.ts";

export interface DialogueOptions {
  model: LanguageModel;
  /** Models that replace it after a failure, in this order and until the end of the conversation. */
  fallbackModels?: readonly LanguageModel[];
  /** The agent's prompt with its variables filled in. */
  instructions: string;
  tools?: readonly DialogueTool[];
  /**
   * If present, the model may hang up with the `end_call` tool. `rules` replaces the tool's description; `farewell` is said if
   * the model hangs up without a word.
   */
  endCall?: { rules?: string; farewell?: string };
  /** If present, the model is given passages of documents before each reply. */
  knowledge?: DialogueKnowledge;
  temperature?: number;
  reasoningEffort?: "none" | "low" | "medium" | "high";
  /** Further settings of requests to the model. */
  callSettings?: ModelCallSettings;
  /** The flow that the agent follows. Default: none, the model leads the conversation. */
  flow?: DialogueFlow | undefined;
  /** Earlier entries, when a conversation is resumed. */
  transcript?: readonly TranscriptEntry[];
  deadlines?: Partial<DialogueDeadlines>;
  timers?: Timers;
}

export type ModelCallSettings = Pick<
  LanguageModelV4CallOptions,
  "maxOutputTokens" | "topP" | "topK" | "frequencyPenalty" | "presencePenalty" | "seed" | "stopSequences"
>;

export interface DialogueDeadlines extends ModelDeadlines {
  toolMs: number;
}

export type DialogueInput =
  | { type: "message"; text: string }
  /** No new input: answers the history. The model sees `guidance`, which does not enter the history. */
  | { type: "continue"; guidance?: string }
  /** The other side has not answered. A flow takes it as silence; without one it is `continue`. */
  | { type: "silence"; guidance: string }
  /** The flow begins, after the first message or one by `guidance`. No tool is called until the reply is confirmed. */
  | { type: "begin"; firstMessage: string; guidance?: string | undefined }
  /**
   * Answers a possibly complete message in advance. It does not enter the history, and no tool is called, until the
   * reply is confirmed. The owner records the message before that.
   */
  | { type: "preview"; text: string };

/** A stretch of the conversation that the model leads. */
export interface Stretch {
  /** In addition to the agent's prompt. */
  instructions: string;
  /** The tool with which the model leaves it. */
  exit: LanguageModelV4FunctionTool;
}

/** How the model's part of a reply ended. */
export interface Conversed {
  endsConversation: boolean;
  /** The exit that it took. */
  exit?: string | undefined;
}

export interface Reply extends AsyncIterable<ReplyPart> {
  readonly id: string;
  /** Passages that the model was given, once it was asked. */
  readonly knowledge: readonly KnowledgePassage[];
  /** Makes a preview the actual reply. */
  confirm(): void;
}

const MAX_TOOL_ROUNDS = 5;
/** Maximum length of a reply, about eight minutes of speech; longer ones are cut off. */
const MAX_REPLY_CHARACTERS = 8000;
const DEFAULT_DEADLINES: DialogueDeadlines = {
  firstTokenMs: 6000,
  betweenTokensMs: 4000,
  toolMs: 20_000,
  beforeFallback: { firstTokenMs: 2500, betweenTokensMs: 1500 },
};
/** Timeout of the first token with reasoning enabled, which produces no visible tokens. */
const REASONING_FIRST_TOKEN_TIMEOUT_MS = 15_000;
/** For a model that continues what another one has begun. */
const CONTINUE =
  "Your last message was cut off by a technical fault. Continue it exactly after its last word, without repeating any of it " +
  "and without mentioning the fault.";

/**
 * Turns one input into a stream of reply parts and tool calls. It has no clock and no audio, so that calls, chats and
 * tests share it, and it can be resumed from its transcript.
 *
 * A reply's text enters the history when its owner reports what was delivered (`settle`). Replies are sequential: each
 * is settled before the next. The owner closes the dialogue.
 */
export class Dialogue {
  /**
   * Receives the result of a tool whose reply did not wait for it or was settled before. The owner records it once no
   * reply is open, and then requests a reply.
   */
  onLateResult: ((answer: ToolResultEntry) => void) | undefined;
  readonly #options: DialogueOptions;
  readonly #toolCalls: ToolCalls;
  /** Running tools of settled replies. */
  readonly #lateCalls = new Set<ToolCall>();
  readonly #definitions: LanguageModelV4FunctionTool[];
  readonly #models: ModelFailover;
  readonly #deadlines: DialogueDeadlines;
  readonly #timers: Timers;
  readonly #history: TranscriptEntry[];
  readonly #flow: FlowPosition | undefined;
  readonly #knowledge: KnowledgeLookup | undefined;
  #open: OpenReply | undefined;

  constructor(options: DialogueOptions) {
    this.#options = options;
    this.#definitions = (options.tools ?? []).map(toDefinition);
    if (options.endCall !== undefined) this.#definitions.push(endCallDefinition(options.endCall.rules));
    this.#models = new ModelFailover([options.model, ...(options.fallbackModels ?? [])]);
    const isReasoning = options.reasoningEffort !== undefined && options.reasoningEffort !== "none";
    this.#deadlines = {
      ...DEFAULT_DEADLINES,
      ...(isReasoning && { firstTokenMs: REASONING_FIRST_TOKEN_TIMEOUT_MS, beforeFallback: undefined }),
      ...options.deadlines,
    };
    this.#timers = options.timers ?? systemTimers;
    const tools = new Map(options.tools?.map((tool) => [tool.name, tool]));
    this.#toolCalls = new ToolCalls(tools, this.#timers, this.#deadlines.toolMs);
    this.#history = [...(options.transcript ?? [])];
    this.#knowledge = options.knowledge && new KnowledgeLookup(options.knowledge, this.#timers);
    this.#flow =
      options.flow && new FlowPosition(options.flow, this.#history, options.model.canJudge !== false);
  }

  get hasFlow(): boolean {
    return this.#flow !== undefined;
  }

  /** Whether its flow answers the caller's silence. */
  get takesSilence(): boolean {
    return this.#flow?.takesSilence === true;
  }

  get history(): readonly TranscriptEntry[] {
    return this.#history;
  }

  /** Lets the model prepare for these instructions, before the first reply. */
  prepare(): void {
    this.#models.current.prepare?.(this.#options.instructions);
  }

  /** Begins to look up what a message may need that is still being said. */
  expect(text: string): void {
    const query = queryOf([...this.#history, { type: "message", role: "user", text }]);
    if (query !== undefined) this.#knowledge?.expect(query);
  }

  /** Adds an entry from outside of replies, such as a spoken greeting or a pressed key. */
  record(entry: TranscriptEntry): void {
    this.#history.push(entry);
  }

  /**
   * Answers an input. The model is called when the reply is iterated, which happens once. The iteration throws a
   * `ProviderError` if the model fails, and the signal's reason if aborted.
   *
   * @throws Error if the previous reply is not settled.
   */
  respond(input: DialogueInput, options: { signal: AbortSignal }): Reply {
    if (this.#open !== undefined) throw new Error(`reply ${this.#open.id} is not settled`);
    if (input.type === "message") this.record({ type: "message", role: "user", text: input.text });
    const { promise: confirmed, resolve } = Promise.withResolvers<void>();
    const isPreview = input.type === "preview" || input.type === "begin";
    if (isPreview) options.signal.addEventListener("abort", () => resolve(), { once: true });
    else resolve();
    const id = randomUUID();
    const open: OpenReply = {
      id,
      modelOnlyEntries: toModelOnlyEntries(input),
      knowledge: [],
      confirmed,
      isConfirmed: !isPreview,
      entries: [],
      segments: [],
      calls: new Set(),
      usedInputs: inputsOf(this.#history).length + (input.type === "preview" ? 1 : 0),
    };
    this.#open = open;
    const confirm = (): void => {
      if (isPreview) open.modelOnlyEntries = [];
      open.isConfirmed = true;
      resolve();
    };
    return {
      id: open.id,
      get knowledge() {
        return open.knowledge;
      },
      confirm,
      [Symbol.asyncIterator]: () => this.#reply(open, input, options.signal),
    };
  }

  /**
   * Enters a reply into the history: its tool calls, and the delivered text with one string per segment; by default all
   * of it. Unknown and settled ids are ignored. Returns the number of steps of the flow that count.
   */
  settle(replyId: string, delivered?: readonly string[]): number {
    const open = this.#open;
    if (open?.id !== replyId) return 0;
    this.#open = undefined;
    const settled = settledEntries(open, delivered);
    this.#history.push(...settled.map((entry) => withKnowledge(entry, open.knowledge)));
    this.#flow?.settle(open, settled);
    for (const call of open.calls) void this.#awaitLate(call);
    return settled.filter(({ type }) => type === "flow").length;
  }

  /** Aborts running tools and returns the results to record for them. Idempotent. */
  close(): ToolResultEntry[] {
    this.#toolCalls.close();
    const unanswered = [...this.#lateCalls].map(({ toolCallId, toolName }): ToolResultEntry => {
      const text = "the conversation ended before it answered";
      return { type: "tool_result", toolCallId, toolName, text, isError: true };
    });
    this.#lateCalls.clear();
    return unanswered;
  }

  async #awaitLate(call: ToolCall): Promise<void> {
    this.#lateCalls.add(call);
    const outcome = await call.outcome;
    if (this.#lateCalls.delete(call)) this.onLateResult?.(toResultEntry(outcome));
  }

  async *#reply(open: OpenReply, input: DialogueInput, signal: AbortSignal): AsyncGenerator<ReplyPart, void> {
    const flow = this.#flow;
    if (input.type === "begin" && input.firstMessage !== "") yield addMessage(open, input.firstMessage);
    const isGuided = (input.type === "continue" || input.type === "begin") && input.guidance !== undefined;
    if (flow === undefined || isGuided) {
      const { endsConversation } = yield* this.#converse(open, signal);
      if (flow?.isDue(this.#history) !== true || endsConversation)
        return yield { type: "end", endsConversation };
      // What follows does not obey the guidance again.
      open.modelOnlyEntries = [];
    }
    const inputs = [...this.#history, ...(input.type === "preview" ? toModelOnlyEntries(input) : [])];
    const event = input.type === "silence" ? ({ type: "silence" } as const) : flow.eventOf(inputs);
    yield* followFlow(this.#portsOf(flow, open, signal), open, flow.state, event);
  }

  #portsOf(flow: FlowPosition, open: OpenReply, signal: AbortSignal): FlowPorts {
    return {
      program: flow.program,
      entries: () => [...this.#history, ...open.modelOnlyEntries, ...this.#entriesSoFar(open)],
      ask: (form) =>
        streamModel({
          models: this.#models,
          options: () => form,
          signal,
          timers: this.#timers,
          deadlines: this.#deadlines,
        }),
      converse: (stretch) => this.#converse(open, signal, stretch),
      confirmed: async () => {
        await open.confirmed;
        signal.throwIfAborted();
      },
      startTool: (toolCallId, toolName, input) => this.#toolCalls.start(toolCallId, toolName, input),
      takeLateCall: (toolCallId) => {
        const call = [...this.#lateCalls].find((late) => late.toolCallId === toolCallId);
        if (call !== undefined) this.#lateCalls.delete(call);
        return call;
      },
      awaitOutcome: async (call) => await this.#awaitOutcome(call, signal),
    };
  }

  /** The model's part of a reply: its text, and its rounds of tool calls. */
  async *#converse(
    open: OpenReply,
    signal: AbortSignal,
    stretch?: Stretch,
  ): AsyncGenerator<ReplyPart, Conversed> {
    const query = this.#knowledge && queryOf([...this.#history, ...open.modelOnlyEntries]);
    if (query !== undefined) open.knowledge = (await this.#knowledge?.find(query, signal)) ?? [];
    for (let round = 1; round <= MAX_TOOL_ROUNDS + 1; round++) {
      const calls: ToolCall[] = [];
      let endCallInput: string | undefined;
      let exit: string | undefined;
      for await (const part of this.#askModel(open, signal, round > MAX_TOOL_ROUNDS, stretch)) {
        if (part.type === "retry") yield part;
        else if (part.type === "text") {
          yield addText(open, part.text);
          if (countCharacters(open) > MAX_REPLY_CHARACTERS) break;
        } else if (part.toolName === END_CALL_TOOL_NAME && this.#options.endCall !== undefined) {
          endCallInput = part.input;
        } else if (stretch !== undefined && part.toolName === EXIT_TOOL_NAME) exit = readExit(part.input);
        else {
          // A preview waits here until it is confirmed.
          if (!open.isConfirmed) yield { type: "wait" };
          await open.confirmed;
          signal.throwIfAborted();
          const call = this.#toolCalls.start(part.toolCallId, part.toolName, part.input);
          calls.push(call);
          yield addToolCall(open, call, part.input);
        }
      }
      if (calls.length > 0) yield { type: "wait" };
      for (const call of calls) {
        if (!call.isAsync) yield addToolResult(open, call, await this.#awaitOutcome(call, signal));
      }
      if (exit !== undefined) return { endsConversation: false, exit };
      if (endCallInput !== undefined) {
        const isSilent = countCharacters(open) === 0;
        const farewell =
          readFarewell(endCallInput) ?? (isSilent ? this.#options.endCall?.farewell : undefined);
        if (farewell !== undefined) yield addText(open, farewell);
        return { endsConversation: true };
      }
      if (calls.length === 0) break;
    }
    return { endsConversation: false };
  }

  /** @throws the signal's reason if the reply is canceled while the tool runs. */
  async #awaitOutcome(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    const wait = new Deadline(signal, this.#timers);
    try {
      return await wait.race(call.outcome);
    } finally {
      wait.close();
    }
  }

  #askModel(
    open: OpenReply,
    signal: AbortSignal,
    mustAnswer: boolean,
    stretch: Stretch | undefined,
  ): AsyncGenerator<ModelPart> {
    return streamModel({
      models: this.#models,
      options: (isContinuation) => this.#callOptions(open, { mustAnswer, isContinuation, stretch }),
      signal,
      timers: this.#timers,
      deadlines: this.#deadlines,
    });
  }

  #entriesSoFar(open: OpenReply): TranscriptEntry[] {
    return open.entries.map((entry) => (entry.type === "segment" ? toMessage(open, entry.index) : entry));
  }

  #callOptions(
    open: OpenReply,
    {
      mustAnswer,
      isContinuation,
      stretch,
    }: { mustAnswer: boolean; isContinuation: boolean; stretch: Stretch | undefined },
  ): Omit<LanguageModelV4CallOptions, "abortSignal"> {
    const { temperature, reasoningEffort, callSettings } = this.#options;
    const instructions = [this.#options.instructions, stretch?.instructions ?? ""]
      .filter(Boolean)
      .join("\n\n");
    const tools = stretch === undefined ? this.#definitions : [...this.#definitions, stretch.exit];
    const window = { contextTokens: this.#models.current.contextTokens, tools };
    const soFar = this.#entriesSoFar(open);
    if (isContinuation) soFar.push({ type: "instruction", text: CONTINUE });
    return {
      prompt: trimToWindow(
        renderPrompt(instructions, [
          ...this.#history,
          ...open.modelOnlyEntries,
          ...toKnowledgeEntries(open),
          ...soFar,
        ]),
        window,
      ),
      ...(tools.length > 0 && {
        tools,
        toolChoice: { type: mustAnswer ? ("none" as const) : ("auto" as const) },
      }),
      ...callSettings,
      ...(temperature !== undefined && { temperature }),
      ...(reasoningEffort !== undefined && { reasoning: reasoningEffort }),
    };
  }
}

function toModelOnlyEntries(input: DialogueInput): TranscriptEntry[] {
  if (input.type === "preview") return [{ type: "message", role: "user", text: input.text }];
  if (input.type === "message" || input.guidance === undefined) return [];
  return [{ type: "instruction", text: input.guidance }];
}

function withKnowledge(entry: TranscriptEntry, knowledge: readonly KnowledgePassage[]): TranscriptEntry {
  const isAnswer = entry.type === "message" && entry.role === "agent" && knowledge.length > 0;
  return isAnswer ? { ...entry, knowledge: [...knowledge] } : entry;
}

function toKnowledgeEntries({ knowledge }: OpenReply): TranscriptEntry[] {
  return knowledge.length === 0 ? [] : [{ type: "message", role: "user", text: renderKnowledge(knowledge) }];
}

function readFarewell(input: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed !== "object" || parsed === null || !("farewell" in parsed)) return undefined;
    const { farewell } = parsed;
    return typeof farewell === "string" && farewell.trim() !== "" ? farewell : undefined;
  } catch {
    return undefined;
  }
}

function toDefinition({ name, description, inputSchema }: DialogueTool): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema };
}
