import type { DialogueTool } from "./tool.ts";

export const TRANSFER_TOOL_NAME = "transfer_call";

/** A destination to which the agent can transfer the call. */
export interface TransferDestination {
  /** Phone number, extension or SIP URI. */
  to: string;
  /** When to choose it, in plain language. */
  condition: string;
}

/** Result of a transfer. A failed one returns the caller to the agent. */
export type TransferResult =
  | { isTransferred: true; isSimulated?: boolean }
  | { isTransferred: false; reason: string };

export interface TransferToolOptions {
  /** Replaces the built-in rules about when to transfer. The destinations follow them. */
  rules?: string;
  destinations: readonly TransferDestination[];
  /** Longest transfer, in ms. */
  deadlineMs: number;
  /** Transfers the call to the destination with this index. Resolves with its result. */
  transfer: (index: number, signal: AbortSignal) => Promise<TransferResult>;
}

const RULES =
  "Transfers the call to a person. Use it if the condition of a destination is met. Say first, in a short sentence, that you " +
  "are connecting the caller. If it fails, you are still in the call: say so, and offer another way to help.";

/** The built-in tool with which the agent transfers the call. */
export function createTransferTool({
  rules = RULES,
  destinations,
  deadlineMs,
  transfer,
}: TransferToolOptions): DialogueTool {
  const list = destinations.map(({ to, condition }, index) => `${index + 1}. ${to}: ${condition}`);
  return {
    name: TRANSFER_TOOL_NAME,
    deadlineMs,
    description: `${rules}\n\nDestinations:\n${list.join("\n")}`,
    inputSchema: {
      type: "object",
      properties: {
        destination: {
          type: "integer",
          minimum: 1,
          maximum: destinations.length,
          description: "Number of the destination in the list.",
        },
      },
      required: ["destination"],
      additionalProperties: false,
    },
    execute: async (input, { signal }) => {
      const result = await transfer(readDestination(input, destinations.length) - 1, signal);
      if (!result.isTransferred) throw new Error(result.reason);
      return result.isSimulated === true
        ? "transferred (simulated: this is a test, and no call was placed)"
        : "transferred";
    },
  };
}

/** Models write the number as text too. */
function readDestination(input: unknown, count: number): number {
  const given =
    typeof input === "object" && input !== null && "destination" in input ? input.destination : undefined;
  const number = typeof given === "string" && /^\d{1,2}$/.test(given.trim()) ? Number(given) : given;
  if (typeof number !== "number" || !Number.isInteger(number) || number < 1 || number > count)
    throw new Error(`destination must be a number from 1 to ${count}`);
  return number;
}
