import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";

/** JSON Schema (draft 7) of a tool's arguments. */
export type ToolInputSchema = LanguageModelV4FunctionTool["inputSchema"];

export interface DialogueTool {
  /** `[A-Za-z0-9_-]`, unique among the tools of a dialogue. */
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  /** The conversation goes on without its answer, which enters when it comes. */
  isAsync?: boolean;
  /**
   * Does the work. Text goes to the model as it is, everything else as JSON; what it throws goes there as a
   * failure. `signal` aborts at the tool's deadline and when the conversation ends, but not when the reply is
   * interrupted: what was begun may have taken effect, and its answer still counts.
   */
  execute(input: unknown, context: ToolContext): Promise<unknown>;
}

export interface ToolContext {
  toolCallId: string;
  signal: AbortSignal;
}

export const END_CALL_TOOL_NAME = "end_call";

/** The built-in tool by which the agent hangs up. It is never executed: the dialogue itself acts on it. */
export function endCallDefinition(rules: string | undefined): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name: END_CALL_TOOL_NAME,
    description:
      rules ??
      "Hangs up. Use it once the caller has said goodbye or has nothing more to ask; never while a question is open.",
    inputSchema: {
      type: "object",
      properties: {
        farewell: {
          type: "string",
          description: "A short goodbye, said before hanging up. Leave it out if you have just said one.",
        },
      },
      additionalProperties: false,
    },
  };
}
