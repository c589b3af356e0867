import { errorMessage } from "../error-message.ts";
import type { Timers } from "../timers.ts";
import { Deadline } from "./deadline.ts";
import type { DialogueTool } from "./tool.ts";

export interface ToolOutcome {
  toolCallId: string;
  toolName: string;
  output: string;
  isError: boolean;
}

/** A running tool. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Whether the reply continues without its result. */
  readonly isAsync: boolean;
  /** Never rejects. */
  readonly outcome: Promise<ToolOutcome>;
}

/** Maximum number of tools running at once. */
const MAX_RUNNING = 16;

/** The running tools of a dialogue. They belong to the dialogue, not to a reply: an interruption stops none of them. */
export class ToolCalls {
  readonly #tools: ReadonlyMap<string, DialogueTool>;
  readonly #timers: Timers;
  readonly #deadlineMs: number;
  readonly #end = new AbortController();
  #running = 0;

  constructor(tools: ReadonlyMap<string, DialogueTool>, timers: Timers, deadlineMs: number) {
    this.#tools = tools;
    this.#timers = timers;
    this.#deadlineMs = deadlineMs;
  }

  /** Starts a tool. `input`: the arguments as JSON, as written by the model. */
  start(toolCallId: string, toolName: string, input: string): ToolCall {
    const tool = this.#tools.get(toolName);
    const answer = tool === undefined ? noTool(toolName) : this.#run(tool, toolCallId, input);
    const outcome = answer.then(
      (output) => ({ toolCallId, toolName, output: toText(output), isError: false }),
      (error: unknown) => ({ toolCallId, toolName, output: errorMessage(error), isError: true }),
    );
    return { toolCallId, toolName, isAsync: tool?.isAsync === true, outcome };
  }

  /** Aborts the running tools. Idempotent. */
  close(): void {
    this.#end.abort();
  }

  async #run(tool: DialogueTool, toolCallId: string, input: string): Promise<unknown> {
    if (this.#running >= MAX_RUNNING) throw new Error("too many tools are at work");
    const parsed: unknown = input.trim() === "" ? {} : JSON.parse(input);
    const deadline = new Deadline(this.#end.signal, this.#timers);
    const { deadlineMs = this.#deadlineMs } = tool;
    deadline.arm(deadlineMs, () => new Error(`no answer within ${deadlineMs} ms`));
    this.#running++;
    try {
      return await deadline.race(tool.execute(parsed, { toolCallId, signal: deadline.signal }));
    } finally {
      this.#running--;
      deadline.close();
    }
  }
}

async function noTool(name: string): Promise<never> {
  throw new Error(`there is no tool ${name}`);
}

function toText(output: unknown): string {
  if (typeof output === "string") return output;
  return output === undefined ? "done" : JSON.stringify(output);
}
