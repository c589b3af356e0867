import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";

/** JSON Schema (draft 7) of a tool's arguments. */
export type ToolInputSchema = LanguageModelV4FunctionTool["inputSchema"];

export interface DialogueTool {
  /** `[A-Za-z0-9_-]`, unique among the tools of a dialogue. */
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  /** The conversation continues without its result, which enters the history later. */
  isAsync?: boolean;
  /** Longest wait for its result, in ms. Default: that of the dialogue. */
  deadlineMs?: number;
  /**
   * Runs the tool. Text goes to the model unchanged, other values as JSON, errors as a failure. `signal` aborts at the
   * tool's deadline and at the end of the conversation, but not when the reply is interrupted: a started action may
   * have taken effect, so its result still counts.
   */
  execute(input: unknown, context: ToolContext): Promise<unknown>;
}

export interface ToolContext {
  toolCallId: string;
  signal: AbortSignal;
}

export const END_CALL_TOOL_NAME = "end_call";

/** The built-in tool with which the agent hangs up. Never executed: the dialogue handles it itself. */
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
