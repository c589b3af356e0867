import type { FlowDefinition } from "../flow/flow-definition.ts";
import {
  createProgram,
  type FlowEvent,
  type FlowInput,
  type FlowProgram,
  type FlowState,
  initialFlowState,
} from "../flow/flow-state.ts";
import { checkValue } from "../flow/slot-values.ts";
import type { FlowValues } from "../flow/flow-text.ts";
import type { TranscriptEntry } from "../transcript.ts";
import type { OpenReply } from "./open-reply.ts";

/** The flow that an agent follows. */
export interface DialogueFlow {
  definition: FlowDefinition;
  variables: FlowValues;
  /** BCP 47. */
  language: string;
  /** Whether texts take time to be heard. */
  isSpoken: boolean;
}

/** Where a conversation is in its flow, and which of its inputs the flow has used. */
export class FlowPosition {
  readonly program: FlowProgram;
  #state: FlowState;
  #usedInputs: number;

  /**
   * @param history Earlier entries: the flow goes on where they end, if it still has that node.
   * @param hasModel Whether a language model can read answers and judge; without one rules read them.
   */
  constructor(flow: DialogueFlow, history: readonly TranscriptEntry[], hasModel: boolean) {
    this.program = createProgram({ ...flow, hasModel });
    const last = history.findLastIndex(({ type }) => type === "flow");
    const lastAgent = history.findLastIndex((entry) => entry.type === "message" && entry.role === "agent");
    this.#usedInputs = inputsOf(history.slice(0, 1 + (last < 0 ? lastAgent : last))).length;
    const entry = history[last];
    this.#state =
      entry?.type === "flow" ? restore(this.program, entry.flowState) : initialFlowState(this.program);
  }

  get state(): FlowState {
    return this.#state;
  }

  /** Whether the flow itself answers the caller's silence. */
  get takesSilence(): boolean {
    return this.#state.phase === "asked" || (this.#state.phase === "led" && this.program.hasModel);
  }

  /** Whether there is something to do without or with new input. */
  isDue(history: readonly TranscriptEntry[]): boolean {
    const { phase } = this.#state;
    return phase === "due" || phase === "called" || inputsOf(history).length > this.#usedInputs;
  }

  /** The event with which a reply to this history begins. */
  eventOf(history: readonly TranscriptEntry[]): FlowEvent {
    const input = joinInputs(inputsOf(history).slice(this.#usedInputs));
    return input === undefined ? { type: "go" } : { type: "input", input };
  }

  /** Takes over the steps of a reply that count. */
  settle({ usedInputs }: OpenReply, settled: readonly TranscriptEntry[]): void {
    const last = settled.findLast((entry) => entry.type === "flow");
    if (last === undefined) return;
    this.#state = last.flowState;
    this.#usedInputs = usedInputs;
  }
}

type InputEntry = TranscriptEntry & { type: "message" | "dtmf" };

/** What the other side said and pressed. */
export function inputsOf(entries: readonly TranscriptEntry[]): InputEntry[] {
  return entries.filter(
    (entry): entry is InputEntry =>
      (entry.type === "message" && entry.role === "user") ||
      (entry.type === "dtmf" && entry.direction === "received"),
  );
}

/** The last keys count alone; texts are joined. */
function joinInputs(inputs: readonly InputEntry[]): FlowInput | undefined {
  const last = inputs.at(-1);
  if (last === undefined) return undefined;
  if (last.type === "dtmf") return { text: last.text.replace(/#$/, ""), isKeys: true };
  const texts = inputs.flatMap((input) => (input.type === "message" ? [input.text.trim()] : []));
  return { text: texts.join(" "), isKeys: false };
}

/** A stored state as far as the flow, which may have changed since, still has its node and slots. */
function restore(program: FlowProgram, stored: FlowState): FlowState {
  const node = program.nodes.get(stored.nodeId);
  const isFitting =
    stored.phase === "due" ||
    stored.phase === "ended" ||
    (stored.phase === "asked" && node?.type === "ask") ||
    (stored.phase === "led" && node?.type === "subPrompt") ||
    (stored.phase === "called" &&
      (node?.type === "tool" || node?.type === "message" || node?.type === "transfer"));
  if (node === undefined || !isFitting) return initialFlowState(program);
  const slots = Object.entries(stored.slots).filter(([name, value]) => {
    const asked = program.definition.nodes.filter((each) => each.type === "ask" && each.slot.name === name);
    return (
      asked.length === 0 ||
      asked.some((each) => each.type === "ask" && checkValue(each.slot, value) !== undefined)
    );
  });
  return { ...stored, slots: Object.fromEntries(slots) };
}
