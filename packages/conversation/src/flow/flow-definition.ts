/** A flow as the contract defines it (`flowDefinition`). It has passed the contract's rules when it was saved. */

export type SlotValue = string | number | boolean;

export interface FlowOption {
  value: string;
  phrases?: readonly string[];
  key?: string;
}

export interface FlowSlot {
  name: string;
  type: "string" | "number" | "boolean" | "enum" | "date" | "phone_number";
  description?: string;
  isVerbatim?: boolean;
  minLength?: number;
  maxLength?: number;
  isInteger?: boolean;
  minimum?: number;
  maximum?: number;
  options?: readonly FlowOption[];
  earliest?: string;
  latest?: string;
}

export interface FlowTest {
  name: string;
  is:
    | "filled"
    | "empty"
    | "equal"
    | "not_equal"
    | "less"
    | "at_most"
    | "greater"
    | "at_least"
    | "contains"
    | "one_of";
  value?: SlotValue;
  values?: readonly SlotValue[];
}

interface Next {
  next: string;
}

export type FlowNode =
  | { id: string; type: "say"; text: string; next: string }
  | {
      id: string;
      type: "ask";
      prompt: string;
      reprompt?: string;
      slot: FlowSlot;
      maxAttempts?: number;
      next: string;
      onExhausted: string;
    }
  | {
      id: string;
      type: "condition";
      branches: readonly (Next & { match?: "all" | "any"; tests: readonly FlowTest[] })[];
      otherwise: string;
    }
  | { id: string; type: "judge"; branches: readonly (Next & { condition: string })[]; otherwise: string }
  | {
      id: string;
      type: "tool";
      tool: string;
      arguments?: Readonly<Record<string, SlotValue>>;
      say?: string;
      save?: readonly { slot: string; path: string }[];
      next: string;
      onFailure: string;
    }
  | { id: string; type: "transfer"; route: string; saveFailure?: string; onFailure: string }
  | { id: string; type: "message"; text: string; next: string; onFailure: string }
  | { id: string; type: "end"; text?: string }
  | {
      id: string;
      type: "subPrompt";
      prompt: string;
      exits: readonly (Next & { name: string; condition: string })[];
      maxTurns?: number;
      onMaxTurns: string;
    };

export type NodeOf<Type extends FlowNode["type"]> = Extract<FlowNode, { type: Type }>;

interface FlowIntent {
  phrases?: readonly string[];
  key?: string;
}

export interface FlowDefinition {
  start: string;
  nodes: readonly FlowNode[];
  intents?: {
    human?: FlowIntent & Next;
    goodbye?: FlowIntent & Next;
    repeat?: FlowIntent;
  };
}

export type IntentName = "human" | "goodbye" | "repeat";
