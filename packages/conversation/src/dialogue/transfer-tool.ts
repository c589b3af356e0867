import type { DialogueTool } from "./tool.ts";

export const TRANSFER_TOOL_NAME = "transfer_call";

/** A destination to which the agent can transfer the call. */
export interface TransferDestination {
  /** Phone number, extension or SIP URI. */
  to: string;
  /** When to choose it, in plain language. */
  condition: string;
}

const TRANSFER_FAILURES = [
  "busy",
  "no answer",
  /** The person's telephone or network declined the call. */
  "rejected",
  /** The person answered and declined. */
  "refused",
  "voicemail",
  "not allowed",
  "unreachable",
  "hung up",
] as const;

/** Why a transfer failed, in the transcript, for the model and for flows. */
export type TransferFailure = (typeof TRANSFER_FAILURES)[number];

/** Result of a transfer. A failed one returns the caller to the agent. `reason` begins with the `TransferFailure`, if there is one. */
export type TransferResult =
  | { isTransferred: true; isSimulated?: boolean }
  | { isTransferred: false; reason: string };

/** The failure in the reason of a transfer; `failed` for a fault that has none, such as one of the tool itself. */
export function readTransferFailure(reason: string): TransferFailure | "failed" {
  return (
    TRANSFER_FAILURES.find((failure) => reason === failure || reason.startsWith(`${failure} (`)) ?? "failed"
  );
}

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
      const result = await transfer(readDestination(input, destinations), signal);
      if (!result.isTransferred) throw new Error(result.reason);
      return result.isSimulated === true
        ? "transferred (simulated: this is a test, and no call was placed)"
        : "transferred";
    },
  };
}

/** Index of the destination: models give its number, also as text, and flows `to`. */
function readDestination(input: unknown, destinations: readonly TransferDestination[]): number {
  const { destination: given, to }: { destination?: unknown; to?: unknown } =
    typeof input === "object" && input !== null ? input : {};
  if (to !== undefined && given === undefined) {
    const index = destinations.findIndex((each) => each.to === to);
    if (index < 0) throw new Error("the agent has no such destination");
    return index;
  }
  const number = typeof given === "string" && /^\d{1,2}$/.test(given.trim()) ? Number(given) : given;
  if (typeof number !== "number" || !Number.isInteger(number) || number < 1 || number > destinations.length)
    throw new Error(`destination must be a number from 1 to ${destinations.length}`);
  return number - 1;
}
