import type { DialogueTool } from "./tool.ts";

export const DO_NOT_CALL_TOOL_NAME = "add_to_do_not_call";

/**
 * The built-in tool with which the agent puts the other side's number on the do-not-call list. The number is the call's: the
 * model cannot name another one.
 *
 * @param add Adds the number. Rejects with a reason for the model.
 */
export function createDoNotCallTool(add: () => Promise<void>): DialogueTool {
  return {
    name: DO_NOT_CALL_TOOL_NAME,
    description:
      "Puts the other side's telephone number on the list of numbers that are never called again. Use it only if the other side asks " +
      "not to be called any more, and then confirm it.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    execute: async () => {
      await add();
      return "The number is on the do-not-call list and will not be called again.";
    },
  };
}
