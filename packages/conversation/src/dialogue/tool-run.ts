import type { Timers } from "../timers.ts";
import { Deadline } from "./deadline.ts";
import type { DialogueTool } from "./tool.ts";

export interface ToolOutcome {
  toolCallId: string;
  toolName: string;
  output: string;
  isError: boolean;
}

/** The tools that one answer of the model called: all at once, answered in the order of the calls. */
export class ToolRun {
  readonly #tools: ReadonlyMap<string, DialogueTool>;
  readonly #signal: AbortSignal;
  readonly #timers: Timers;
  readonly #deadlineMs: number;
  readonly #calls: Promise<ToolOutcome>[] = [];

  constructor(
    tools: ReadonlyMap<string, DialogueTool>,
    signal: AbortSignal,
    timers: Timers,
    deadlineMs: number,
  ) {
    this.#tools = tools;
    this.#signal = signal;
    this.#timers = timers;
    this.#deadlineMs = deadlineMs;
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  start(toolCallId: string, toolName: string, input: string): void {
    this.#calls.push(this.#execute(toolCallId, toolName, input));
  }

  /** Throws the signal's reason when the reply is cancelled meanwhile. */
  async *results(): AsyncGenerator<ToolOutcome> {
    for (const outcome of this.#calls) {
      const result = await outcome;
      this.#signal.throwIfAborted();
      yield result;
    }
  }

  /** Never rejects. */
  async #execute(toolCallId: string, toolName: string, input: string): Promise<ToolOutcome> {
    const tool = this.#tools.get(toolName);
    if (tool === undefined) return failure(toolCallId, toolName, `there is no tool ${toolName}`);
    const deadline = new Deadline(this.#signal, this.#timers);
    deadline.arm(this.#deadlineMs, () => new Error(`no answer within ${this.#deadlineMs} ms`));
    try {
      const parsed: unknown = input.trim() === "" ? {} : JSON.parse(input);
      const output = await deadline.race(tool.execute(parsed, { toolCallId, signal: deadline.signal }));
      return { toolCallId, toolName, output: toText(output), isError: false };
    } catch (error) {
      return failure(toolCallId, toolName, error instanceof Error ? error.message : String(error));
    } finally {
      deadline.close();
    }
  }
}

function failure(toolCallId: string, toolName: string, reason: string): ToolOutcome {
  return { toolCallId, toolName, output: reason, isError: true };
}

function toText(output: unknown): string {
  if (typeof output === "string") return output;
  return output === undefined ? "done" : JSON.stringify(output);
}
