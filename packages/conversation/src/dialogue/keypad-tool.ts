import type { DialogueTool } from "./tool.ts";

export const KEYPAD_TOOL_NAME = "play_keypad_touch_tone";

/**
 * Maximum number of keys: at a fifth of a second per key and half a second per wait, they are sent while the model
 * waits.
 */
const MAX_KEYS = 32;

export interface KeypadToolOptions {
  /** Replaces the built-in rules about when to press keys. */
  rules?: string;
  /** Presses the keys. Resolves when all of them were sent; rejects with a reason for the model. */
  press: (keys: string, signal: AbortSignal) => Promise<void>;
}

/** The built-in tool with which the agent presses keys, to use automatic systems. */
export function createKeypadTool({ rules, press }: KeypadToolOptions): DialogueTool {
  return {
    name: KEYPAD_TOOL_NAME,
    description:
      rules ??
      "Presses keys of the telephone. Use it when the other side is an automatic system that asks for a key, an " +
        "extension or a number to be entered; never with a person.",
    inputSchema: {
      type: "object",
      properties: {
        keys: {
          type: "string",
          description: `The keys in order: 0-9, * and #; w waits for half a second. At most ${MAX_KEYS}.`,
        },
      },
      required: ["keys"],
      additionalProperties: false,
    },
    execute: async (input, { signal }) => {
      const keys = readKeys(input);
      await press(keys, signal);
      return `pressed ${keys}`;
    },
  };
}

/** Reads the keys in any notation that models use, with spaces and dashes. */
function readKeys(input: unknown): string {
  const given = typeof input === "object" && input !== null && "keys" in input ? input.keys : undefined;
  const text = typeof given === "number" ? String(given) : given;
  if (typeof text !== "string") throw new Error("keys must be a string");
  const keys = text
    .replaceAll(/[\s.\-()]/g, "")
    .replaceAll(/[W,]/g, "w")
    .replaceAll(/[a-d]/g, (key) => key.toUpperCase());
  if (!/^[0-9*#A-Dw]+$/.test(keys))
    throw new Error("keys are 0-9, *, #, A-D, and w for a wait; at least one");
  if (keys.length > MAX_KEYS)
    throw new Error(`at most ${MAX_KEYS} keys at once: press the others after them`);
  return keys;
}
