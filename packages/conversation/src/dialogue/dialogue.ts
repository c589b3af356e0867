import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { randomUUID } from "node:crypto";
import type { LanguageModel } from "../providers/language-model.ts";
import type { ProviderError } from "../providers/provider-error.ts";
import { systemTimers, type Timers } from "../timers.ts";
import type { TranscriptEntry } from "../transcript.ts";
import { Deadline } from "./deadline.ts";
import { streamModel, type ModelDeadlines, type ModelPart } from "./model-stream.ts";
import { renderPrompt } from "./prompt.ts";
import { endCallDefinition, END_CALL_TOOL_NAME, type DialogueTool } from "./tool.ts";
import { type ToolCall, ToolCalls, type ToolOutcome } from "./tool-calls.ts";

export interface DialogueOptions {
  model: LanguageModel;
  /** The agent's prompt, its variables filled in. */
  instructions: string;
  tools?: readonly DialogueTool[];
  /** Present: the model may hang up by the `end_call` tool. `rules` replaces the tool's description. */
  endCall?: { rules?: string };
  temperature?: number;
  reasoningEffort?: "none" | "low" | "medium" | "high";
  /** What was said before, when a conversation is taken up again. */
  transcript?: readonly TranscriptEntry[];
  deadlines?: Partial<DialogueDeadlines>;
  timers?: Timers;
}

export interface DialogueDeadlines extends ModelDeadlines {
  toolMs: number;
}

export type DialogueInput =
  | { type: "message"; text: string }
  /** Nothing new: answer what stands in the history. The model sees `guidance`, which enters no history. */
  | { type: "continue"; guidance?: string }
  /**
   * What the caller has said, if he says no more: the model answers it ahead of time. It enters no history, and no
   * tool is called, until the reply is confirmed; its owner has recorded the message by then.
   */
  | { type: "preview"; text: string };

/**
 * `segment` counts the stretches of text that tool calls divide a reply into: all text of one segment is one
 * message of the transcript.
 */
export type ReplyPart =
  | { type: "text"; text: string; segment: number }
  /** `isAwaited`: a `toolResult` follows; else the tool's answer comes after the reply (`onLateAnswer`). */
  | { type: "toolCall"; toolCallId: string; toolName: string; input: string; isAwaited: boolean }
  | { type: "toolResult"; toolCallId: string; toolName: string; output: string; isError: boolean }
  /** The model waits for its tools: no text comes before they have answered. */
  | { type: "wait" }
  /** The model failed before its first token and is asked once more. */
  | { type: "retry"; error: ProviderError }
  /** The last part. The owner hangs up where `endsConversation`. */
  | { type: "end"; endsConversation: boolean };

export interface Reply extends AsyncIterable<ReplyPart> {
  readonly id: string;
  /** The answer to a preview is wanted. */
  confirm(): void;
}

/** What a tool has answered, or why it has not. */
export type ToolAnswer = TranscriptEntry & { type: "tool_result" };

const MAX_TOOL_ROUNDS = 5;
/** About eight minutes of speech; a model that goes on after it is cut off. */
const MAX_REPLY_CHARACTERS = 8000;
const DEFAULT_DEADLINES: DialogueDeadlines = { firstTokenMs: 6000, betweenTokensMs: 4000, toolMs: 20_000 };
/** A model that was asked to reason is not heard of while it does. */
const REASONING_FIRST_TOKEN_MS = 15_000;

/**
 * Turns one input into a stream of reply parts and tool calls. It knows neither time nor audio, so that calls,
 * chats and tests run the same one, and can be taken up again from its transcript.
 *
 * A reply's text enters the history when its owner tells what was delivered of it (`settle`). Replies follow
 * each other: a reply is settled before the next is asked for. Its owner closes it.
 */
export class Dialogue {
  /**
   * Told what a tool answered whose reply did not wait for it, or was settled meanwhile. The owner records it once no
   * reply is open, and asks for one then.
   */
  onLateAnswer: ((answer: ToolAnswer) => void) | undefined;
  readonly #options: DialogueOptions;
  readonly #toolCalls: ToolCalls;
  /** Of settled replies, those that have not answered. */
  readonly #lateCalls = new Set<ToolCall>();
  readonly #definitions: LanguageModelV4FunctionTool[];
  readonly #deadlines: DialogueDeadlines;
  readonly #timers: Timers;
  readonly #history: TranscriptEntry[];
  #open: OpenReply | undefined;

  constructor(options: DialogueOptions) {
    this.#options = options;
    this.#definitions = (options.tools ?? []).map(toDefinition);
    if (options.endCall !== undefined) this.#definitions.push(endCallDefinition(options.endCall.rules));
    const isReasoning = options.reasoningEffort !== undefined && options.reasoningEffort !== "none";
    this.#deadlines = {
      ...DEFAULT_DEADLINES,
      ...(isReasoning && { firstTokenMs: REASONING_FIRST_TOKEN_MS }),
      ...options.deadlines,
    };
    this.#timers = options.timers ?? systemTimers;
    const tools = new Map(options.tools?.map((tool) => [tool.name, tool]));
    this.#toolCalls = new ToolCalls(tools, this.#timers, this.#deadlines.toolMs);
    this.#history = [...(options.transcript ?? [])];
  }

  get history(): readonly TranscriptEntry[] {
    return this.#history;
  }

  /** Adds what happened outside of replies: a greeting that was spoken, a key that was pressed. */
  record(entry: TranscriptEntry): void {
    this.#history.push(entry);
  }

  /**
   * Answers an input. Nothing is asked of the model before the reply is iterated, which happens once.
   * The iteration throws a `ProviderError` where the model failed, and the signal's reason when aborted.
   *
   * @throws Error when the reply before it is not settled.
   */
  respond(input: DialogueInput, options: { signal: AbortSignal }): Reply {
    if (this.#open !== undefined) throw new Error(`reply ${this.#open.id} is not settled`);
    if (input.type === "message") this.record({ type: "message", role: "user", text: input.text });
    const { promise: confirmed, resolve } = Promise.withResolvers<void>();
    const isPreview = input.type === "preview";
    if (isPreview) options.signal.addEventListener("abort", () => resolve(), { once: true });
    else resolve();
    const id = randomUUID();
    const open: OpenReply = {
      id,
      ahead: aheadOf(input),
      confirmed,
      isConfirmed: !isPreview,
      entries: [],
      segments: [],
      calls: new Set(),
    };
    this.#open = open;
    const confirm = (): void => {
      if (isPreview) open.ahead = [];
      open.isConfirmed = true;
      resolve();
    };
    return { id: open.id, confirm, [Symbol.asyncIterator]: () => this.#reply(open, options.signal) };
  }

  /**
   * Enters a reply into the history: its tool calls, and of its text what was delivered, one string per
   * segment; without `delivered`, all of it. Unknown and settled ids are ignored.
   */
  settle(replyId: string, delivered?: readonly string[]): void {
    const open = this.#open;
    if (open?.id !== replyId) return;
    this.#open = undefined;
    for (const entry of open.entries) {
      if (entry.type !== "segment") {
        this.#history.push(entry);
        continue;
      }
      const generated = (open.segments[entry.index] ?? "").trim();
      const text = delivered === undefined ? generated : (delivered[entry.index] ?? "").trim();
      if (text !== "") this.#history.push({ type: "message", role: "agent", text });
    }
    for (const call of open.calls) void this.#awaitLate(call);
  }

  /** Aborts the tools at work, and returns what is to be recorded of them. Idempotent. */
  close(): ToolAnswer[] {
    this.#toolCalls.close();
    const unanswered = [...this.#lateCalls].map(({ toolCallId, toolName }): ToolAnswer => {
      const text = "the conversation ended before it answered";
      return { type: "tool_result", toolCallId, toolName, text, isError: true };
    });
    this.#lateCalls.clear();
    return unanswered;
  }

  async #awaitLate(call: ToolCall): Promise<void> {
    this.#lateCalls.add(call);
    const outcome = await call.outcome;
    if (this.#lateCalls.delete(call)) this.onLateAnswer?.(toAnswer(outcome));
  }

  async *#reply(open: OpenReply, signal: AbortSignal): AsyncGenerator<ReplyPart, void> {
    for (let round = 1; round <= MAX_TOOL_ROUNDS + 1; round++) {
      const calls: ToolCall[] = [];
      let endCallInput: string | undefined;
      for await (const part of this.#askModel(open, signal, round > MAX_TOOL_ROUNDS)) {
        if (part.type === "retry") yield part;
        else if (part.type === "text") {
          yield addText(open, part.text);
          if (lengthOf(open) > MAX_REPLY_CHARACTERS) break;
        } else if (part.toolName === END_CALL_TOOL_NAME && this.#options.endCall !== undefined) {
          endCallInput = part.input;
        } else {
          // Nothing more comes of a preview by itself.
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
        if (!call.isAsync) yield addToolResult(open, call, await this.#outcomeOf(call, signal));
      }
      if (endCallInput !== undefined) {
        const farewell = farewellIn(endCallInput);
        if (farewell !== undefined) yield addText(open, farewell);
        yield { type: "end", endsConversation: true };
        return;
      }
      if (calls.length === 0) break;
    }
    yield { type: "end", endsConversation: false };
  }

  /** Throws the signal's reason when the reply is cancelled meanwhile. */
  async #outcomeOf(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    const wait = new Deadline(signal, this.#timers);
    try {
      return await wait.race(call.outcome);
    } finally {
      wait.close();
    }
  }

  #askModel(open: OpenReply, signal: AbortSignal, mustAnswer: boolean): AsyncGenerator<ModelPart> {
    const options = this.#callOptions(open, mustAnswer);
    return streamModel({
      model: this.#options.model,
      options,
      signal,
      timers: this.#timers,
      deadlines: this.#deadlines,
    });
  }

  #callOptions(open: OpenReply, mustAnswer: boolean): Omit<LanguageModelV4CallOptions, "abortSignal"> {
    const { instructions, temperature, reasoningEffort } = this.#options;
    const soFar = open.entries.map((entry) =>
      entry.type === "segment" ? messageOf(open, entry.index) : entry,
    );
    return {
      prompt: renderPrompt(instructions, [...this.#history, ...open.ahead, ...soFar]),
      ...(this.#definitions.length > 0 && {
        tools: this.#definitions,
        toolChoice: { type: mustAnswer ? ("none" as const) : ("auto" as const) },
      }),
      ...(temperature !== undefined && { temperature }),
      ...(reasoningEffort !== undefined && { reasoning: reasoningEffort }),
    };
  }
}

/** A reply that is being delivered. Its text stands apart, since what of it enters the history is not known yet. */
interface OpenReply {
  id: string;
  /** What the model sees after the history, and nobody else. */
  ahead: readonly TranscriptEntry[];
  confirmed: Promise<void>;
  isConfirmed: boolean;
  entries: (TranscriptEntry | { type: "segment"; index: number })[];
  segments: string[];
  /** Tools that it called and that have not answered. */
  calls: Set<ToolCall>;
}

function aheadOf(input: DialogueInput): TranscriptEntry[] {
  if (input.type === "preview") return [{ type: "message", role: "user", text: input.text }];
  if (input.type !== "continue" || input.guidance === undefined) return [];
  return [{ type: "instruction", text: input.guidance }];
}

function lengthOf(open: OpenReply): number {
  return open.segments.reduce((length, segment) => length + segment.length, 0);
}

function messageOf(open: OpenReply, index: number): TranscriptEntry {
  return { type: "message", role: "agent", text: open.segments[index] ?? "" };
}

function addText(open: OpenReply, text: string): ReplyPart {
  if (open.entries.at(-1)?.type !== "segment") {
    open.entries.push({ type: "segment", index: open.segments.length });
    open.segments.push("");
  }
  const segment = open.segments.length - 1;
  open.segments[segment] += text;
  return { type: "text", text, segment };
}

function addToolCall(open: OpenReply, call: ToolCall, input: string): ReplyPart {
  const { toolCallId, toolName, isAsync } = call;
  open.calls.add(call);
  open.entries.push({ type: "tool_call", toolCallId, toolName, text: input });
  return { type: "toolCall", toolCallId, toolName, input, isAwaited: !isAsync };
}

function addToolResult(open: OpenReply, call: ToolCall, outcome: ToolOutcome): ReplyPart {
  open.calls.delete(call);
  open.entries.push(toAnswer(outcome));
  return { type: "toolResult", ...outcome };
}

function toAnswer({ toolCallId, toolName, output, isError }: ToolOutcome): ToolAnswer {
  return { type: "tool_result", toolCallId, toolName, text: output, isError };
}

function farewellIn(input: string): string | undefined {
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
