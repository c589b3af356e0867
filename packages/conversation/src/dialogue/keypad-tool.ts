import type { DialogueTool } from "./tool.ts";

export const KEYPAD_TOOL_NAME = "play_keypad_touch_tone";

/** A key takes a fifth of a second and a wait half a second: no more than can be sent while the model waits. */
const MOST_KEYS = 32;

export interface KeypadToolOptions {
  /** When to press keys, in place of the built-in rules. */
  rules?: string;
  /** Presses the keys; resolves once all of them were sent, and rejects with a reason that the model is told. */
  press: (keys: string, signal: AbortSignal) => Promise<void>;
}

/** The built-in tool by which the agent presses keys, as callers of automatic systems have to. */
export function createKeypadTool({ rules, press }: KeypadToolOptions): DialogueTool {
  return {
    name: KEYPAD_TOOL_NAME,
    description:
      rules ??
      "Presses keys of the telephone. Use it where the other side is an automatic system that asks for a key, an " +
        "extension or a number to be entered; never with a person.",
    inputSchema: {
      type: "object",
      properties: {
        keys: {
          type: "string",
          description: `The keys in order: 0-9, * and #; w waits for half a second. At most ${MOST_KEYS}.`,
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

/** Models write keys as people do, with blanks and dashes. */
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
  if (keys.length > MOST_KEYS)
    throw new Error(`at most ${MOST_KEYS} keys at once: press the others after them`);
  return keys;
}
