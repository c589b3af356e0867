import type { DialogueTool } from "./tool.ts";

export const MESSAGE_TOOL_NAME = "send_message";

/** Maximum length of a message: about seven parts of an SMS. */
const MAX_CHARACTERS = 1000;

export interface MessageToolOptions {
  /** Replaces the built-in rules about when to send a message. */
  rules?: string;
  /** Sends the text to the other side. Resolves when it is on its way; rejects with a reason for the model. */
  send: (text: string, signal: AbortSignal) => Promise<void>;
}

/** The built-in tool with which the agent sends a text message to the other side of a call. */
export function createMessageTool({ rules, send }: MessageToolOptions): DialogueTool {
  return {
    name: MESSAGE_TOOL_NAME,
    description:
      rules ??
      "Sends a text message to the telephone of the person on the call. Use it for what is hard to remember by ear, such as " +
        "a link, an address or a number, and only if the person has agreed to get a message.",
    inputSchema: {
      type: "object",
      properties: {
        text: {
          type: "string",
          description: `Text of the message, as the person is to read it. At most ${MAX_CHARACTERS} characters.`,
        },
      },
      required: ["text"],
      additionalProperties: false,
    },
    execute: async (input, { signal }) => {
      await send(readText(input), signal);
      return "the message is on its way";
    },
  };
}

function readText(input: unknown): string {
  const text = typeof input === "object" && input !== null && "text" in input ? input.text : undefined;
  if (typeof text !== "string" || text.trim() === "")
    throw new Error("text must be a string that is not empty");
  if (text.length > MAX_CHARACTERS) throw new Error(`text must have at most ${MAX_CHARACTERS} characters`);
  return text.trim();
}
