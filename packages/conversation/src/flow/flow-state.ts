import type { FlowDefinition, FlowNode, FlowSlot, IntentName, NodeOf, SlotValue } from "./flow-definition.ts";
import type { FlowValues } from "./flow-text.ts";

/** What a flow runs on; the same for the whole conversation. */
export interface FlowProgram {
  readonly definition: FlowDefinition;
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly variables: FlowValues;
  /** BCP 47. */
  readonly language: string;
  /** Whether a language model reads answers and judges. Without one, rules read them. */
  readonly hasModel: boolean;
  /** Whether texts take time to be heard. An action that follows them waits until they were. */
  readonly isSpoken: boolean;
}

/** Where a conversation is in its flow. Stored with each step: names are stable. */
export interface FlowState {
  readonly nodeId: string;
  /** `due`: not begun. `asked`, `led`: awaits the caller. `called`: awaits a tool. */
  readonly phase: "due" | "asked" | "led" | "called" | "ended";
  /** Times that the question was put, or replies of the model. */
  readonly attempts: number;
  readonly slots: Readonly<Record<string, SlotValue>>;
  /** Slots with a value that was given before their question. */
  readonly volunteered: readonly string[];
  /** The call of phase `called`. */
  readonly toolCallId?: string;
}

/** What the model understood of an answer. Values are not checked yet. */
export interface Reading {
  values: Readonly<Record<string, unknown>>;
  intent?: IntentName | undefined;
}

/** What the other side said or pressed. */
export interface FlowInput {
  text: string;
  isKeys: boolean;
}

export type FlowEvent =
  /** Goes on without input. */
  | { type: "go" }
  | { type: "input"; input: FlowInput }
  /** The caller did not answer. */
  | { type: "silence" }
  /** Answer to `read`; `undefined` if the model failed. */
  | { type: "read"; input: FlowInput; reading: Reading | undefined }
  /** Answer to `judge`: index of the branch, `undefined` for none. */
  | { type: "judged"; branch: number | undefined }
  /** Answer to `call`. */
  | { type: "toolAnswered"; output: string; isError: boolean }
  /** The model's reply of `lead` is complete. `exit`: name of the exit or intent that it took. */
  | { type: "led"; exit: string | undefined };

export type FlowEffect =
  /** Says a text, as a message of its own. */
  | { type: "say"; text: string }
  /** A step of the path, with the state after it. */
  | { type: "note"; nodeId: string; text: string; state: FlowState }
  // The last effect of a step is one of these.
  | { type: "read"; input: FlowInput; asked: NodeOf<"ask"> | undefined; slots: readonly FlowSlot[] }
  | { type: "judge"; node: NodeOf<"judge"> }
  /** `say` is said while the tool runs. */
  | { type: "call"; toolName: string; input: Readonly<Record<string, SlotValue>>; say: string }
  | { type: "lead"; node: NodeOf<"subPrompt"> }
  /** Awaits the caller. */
  | { type: "wait" }
  /** Goes on with `go` once what was said has been heard. */
  | { type: "pause" }
  | { type: "end" };

export interface FlowStep {
  state: FlowState;
  effects: readonly FlowEffect[];
}

export function createProgram(options: Omit<FlowProgram, "nodes">): FlowProgram {
  return { ...options, nodes: new Map(options.definition.nodes.map((node) => [node.id, node])) };
}

export function initialFlowState({ definition }: Pick<FlowProgram, "definition">): FlowState {
  return { nodeId: definition.start, phase: "due", attempts: 0, slots: {}, volunteered: [] };
}

/** The values that texts and tests see: slots before variables. */
export function valuesOf({ variables }: FlowProgram, { slots }: FlowState): FlowValues {
  return { ...variables, ...slots };
}
