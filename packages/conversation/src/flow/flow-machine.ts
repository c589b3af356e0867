import { MESSAGE_TOOL_NAME } from "../dialogue/message-tool.ts";
import { readTransferFailure, TRANSFER_TOOL_NAME } from "../dialogue/transfer-tool.ts";
import type { FlowNode, IntentName, NodeOf, SlotValue } from "./flow-definition.ts";
import { findIntent } from "./flow-intents.ts";
import {
  type FlowEffect,
  type FlowEvent,
  type FlowInput,
  type FlowProgram,
  type FlowState,
  type FlowStep,
  initialFlowState,
  type Reading,
  valuesOf,
} from "./flow-state.ts";
import { passes } from "./flow-tests.ts";
import { renderArgument, renderText } from "./flow-text.ts";
import { checkValue, readByRules, readKeys } from "./slot-values.ts";
import { savedValues } from "./tool-answer.ts";

const DEFAULT_ATTEMPTS = 3;
const DEFAULT_TURNS = 20;

/**
 * Runs a flow up to the next thing that it needs from outside. A pure function of the state and one event.
 *
 * @param hasSpoken Whether the reply under way has said something before this event.
 */
export function flowStep(
  program: FlowProgram,
  state: FlowState,
  event: FlowEvent,
  hasSpoken = false,
): FlowStep {
  const run = new FlowRun(program, state, hasSpoken);
  run.take(event);
  return { state: run.state, effects: run.effects };
}

class FlowRun {
  readonly effects: FlowEffect[] = [];
  state: FlowState;
  readonly #program: FlowProgram;
  #hasSpoken: boolean;

  constructor(program: FlowProgram, state: FlowState, hasSpoken: boolean) {
    this.#program = program;
    this.state = state;
    this.#hasSpoken = hasSpoken;
  }

  take(event: FlowEvent): void {
    if (this.state.phase === "ended") this.#beginAgain();
    switch (event.type) {
      case "go":
        return this.#go();
      case "input":
        return this.#takeInput(event.input);
      case "silence":
        return this.#takeSilence();
      case "read":
        return this.#takeReading(event.input, event.reading);
      case "judged":
        return this.#takeJudgment(event.branch);
      case "toolAnswered":
        return this.#takeToolAnswer(event.output, event.isError);
      case "led":
        return this.#takeLed(event.exit);
    }
  }

  /** A call hangs up after the end: what comes before that hears the last words again. By text the flow begins again. */
  #beginAgain(): void {
    this.state = this.#program.isSpoken ? { ...this.state, phase: "due" } : initialFlowState(this.#program);
  }

  #go(): void {
    const { phase } = this.state;
    const node = this.#node;
    if (phase === "due") return this.#advance();
    if (phase === "led" && node.type === "subPrompt") return this.#lead(node);
    this.effects.push({ type: "wait" });
  }

  #takeInput(input: FlowInput): void {
    const { definition, language, hasModel } = this.#program;
    const intent = findIntent(definition, input, language);
    if (intent !== undefined) return this.#follow(intent);
    const node = this.#node;
    const { phase, attempts } = this.state;
    if (phase === "asked" && node.type === "ask") return this.#takeAnswer(node, input);
    if (phase === "led" && node.type === "subPrompt") {
      if (attempts < (node.maxTurns ?? DEFAULT_TURNS)) return this.#lead(node);
      this.#goOn(`${attempts} replies`, node.onMaxTurns);
      return this.#advance();
    }
    if (phase === "due" && hasModel && !input.isKeys && this.#openSlots().length > 0)
      return void this.effects.push({ type: "read", input, asked: undefined, slots: this.#openSlots() });
    this.#go();
  }

  #takeSilence(): void {
    const node = this.#node;
    if (this.state.phase === "asked" && node.type === "ask") return this.#askAgain(node, "silence");
    if (this.state.phase === "led" && node.type === "subPrompt") return this.#lead(node);
    this.#go();
  }

  #takeAnswer(node: NodeOf<"ask">, input: FlowInput): void {
    const { language, hasModel } = this.#program;
    const { slot } = node;
    const { text } = input;
    const read = input.isKeys
      ? readKeys(slot, text)
      : readByRules(slot, { text, language, isLenient: !hasModel });
    if (read !== undefined) return this.#takeValue(node, checkValue(slot, read));
    if (input.isKeys || !hasModel) return this.#takeValue(node, undefined);
    const others = this.#openSlots().filter(({ name }) => name !== slot.name);
    this.effects.push({ type: "read", input, asked: node, slots: [slot, ...others] });
  }

  #takeReading(input: FlowInput, reading: Reading | undefined): void {
    const node = this.#node;
    const isAsked = this.state.phase === "asked" && node.type === "ask";
    const { intents = {} } = this.#program.definition;
    if (reading?.intent !== undefined && intents[reading.intent] !== undefined)
      return this.#follow(reading.intent);
    if (reading !== undefined) this.#volunteer(reading, isAsked ? node.slot.name : undefined);
    if (!isAsked) return this.#go();
    const { slot } = node;
    const { language } = this.#program;
    const given =
      reading === undefined
        ? readByRules(slot, { text: input.text, language, isLenient: true })
        : readOwn(reading.values, slot.name);
    this.#takeValue(node, checkValue(slot, given));
  }

  /** Stores values of questions that are still to come. */
  #volunteer({ values }: Reading, askedName: string | undefined): void {
    for (const slot of this.#openSlots()) {
      const value = slot.name === askedName ? undefined : checkValue(slot, readOwn(values, slot.name));
      if (value === undefined) continue;
      this.#store(slot.name, value);
      this.state = { ...this.state, volunteered: [...this.state.volunteered, slot.name] };
    }
  }

  #takeValue(node: NodeOf<"ask">, value: SlotValue | undefined): void {
    if (value === undefined) return this.#askAgain(node, "no valid answer");
    this.#store(node.slot.name, value);
    this.#goOn(`${node.slot.name}: ${value}`, node.next);
    this.#advance();
  }

  #askAgain(node: NodeOf<"ask">, why: string): void {
    const { attempts } = this.state;
    if (attempts < (node.maxAttempts ?? DEFAULT_ATTEMPTS))
      return this.#ask(node, node.reprompt ?? node.prompt, attempts + 1, why);
    this.#goOn(`${why}, no attempt left`, node.onExhausted);
    this.#advance();
  }

  #ask(node: NodeOf<"ask">, text: string, attempts: number, why?: string): void {
    this.#say(text);
    this.state = { ...this.state, phase: "asked", attempts };
    this.#note(node.id, `${why === undefined ? "" : `${why}, `}asked (${attempts})`);
    this.effects.push({ type: "wait" });
  }

  #takeJudgment(branch: number | undefined): void {
    const node = this.#node;
    if (node.type !== "judge") return this.#go();
    const chosen = branch === undefined ? undefined : node.branches[branch];
    this.#goOn(chosen?.condition ?? "otherwise", chosen?.next ?? node.otherwise);
    this.#advance();
  }

  #takeToolAnswer(output: string, isError: boolean): void {
    const node = this.#node;
    if (node.type === "tool" && !isError) {
      for (const [name, value] of savedValues(node.save ?? [], output)) this.#store(name, value);
      this.#goOn(`${node.tool} answered`, node.next);
    } else if (node.type === "message" && !isError) this.#goOn("sent", node.next);
    else if (node.type === "transfer") return this.#takeTransfer(node, output, isError);
    else if (node.type === "tool" || node.type === "message") this.#goOn("failed", node.onFailure);
    this.#advance();
  }

  /** A call that is transferred, or as if it were, is over for the flow. */
  #takeTransfer(node: NodeOf<"transfer">, output: string, isError: boolean): void {
    if (!isError) return this.#end(node, "transferred");
    const failure = readTransferFailure(output);
    if (node.saveFailure !== undefined) this.#store(node.saveFailure, failure);
    this.#goOn(failure === "failed" ? failure : `failed: ${failure}`, node.onFailure);
    this.#advance();
  }

  #end({ id }: FlowNode, text: string): void {
    const { toolCallId: _answered, ...state } = this.state;
    this.state = { ...state, phase: "ended" };
    this.#note(id, text);
    this.effects.push({ type: "end" });
  }

  #lead(node: NodeOf<"subPrompt">): void {
    this.effects.push({ type: "lead", node });
  }

  #takeLed(exit: string | undefined): void {
    const node = this.#node;
    if (node.type !== "subPrompt") return this.#go();
    const chosen = node.exits.find(({ name }) => name === exit);
    if (chosen !== undefined) {
      this.#goOn(chosen.name, chosen.next);
      return this.#advance();
    }
    if (exit === "human" || exit === "goodbye") return this.#follow(exit);
    this.state = { ...this.state, phase: "led", attempts: this.state.attempts + 1 };
    this.#note(node.id, `reply ${this.state.attempts}`);
    this.effects.push({ type: "wait" });
  }

  #follow(intent: IntentName): void {
    const { human, goodbye } = this.#program.definition.intents ?? {};
    const target = intent === "human" ? human?.next : intent === "goodbye" ? goodbye?.next : undefined;
    if (target !== undefined) {
      this.#goOn(intent, target);
      return this.#advance();
    }
    const node = this.#node;
    if (this.state.phase !== "asked" || node.type !== "ask") return this.#go();
    this.#ask(node, node.prompt, this.state.attempts, "repeat");
  }

  /** Runs nodes until one needs something from outside. */
  #advance(): void {
    // A saved flow has no circle without a caller's turn, and each value given ahead is used once.
    const limit = this.#program.nodes.size * (this.state.volunteered.length + 2);
    for (let visits = 0; visits < limit; visits++) if (this.#enter(this.#node)) return;
    throw new Error(`the flow runs in a circle at node ${this.state.nodeId}`);
  }

  /** Runs a node; returns whether the flow needs something from outside. */
  #enter(node: FlowNode): boolean {
    switch (node.type) {
      case "say":
        this.#say(node.text);
        this.#goOn("said", node.next);
        return false;
      case "ask":
        return this.#enterAsk(node);
      case "condition": {
        const values = valuesOf(this.#program, this.state);
        const index = node.branches.findIndex(({ match = "all", tests }) =>
          match === "all"
            ? tests.every((test) => passes(test, values))
            : tests.some((test) => passes(test, values)),
        );
        const text = index < 0 ? "otherwise" : `branch ${index + 1}`;
        this.#goOn(text, node.branches[index]?.next ?? node.otherwise);
        return false;
      }
      case "judge":
        if (this.#program.hasModel) this.effects.push({ type: "judge", node });
        else this.#goOn("otherwise, without a language model", node.otherwise);
        return this.#program.hasModel;
      case "tool":
      case "message":
      case "transfer":
        this.#call(node);
        return true;
      case "subPrompt":
        this.#lead(node);
        return true;
      case "end":
        this.#say(node.text ?? "");
        this.#end(node, "end");
        return true;
    }
  }

  #enterAsk(node: NodeOf<"ask">): boolean {
    const { name } = node.slot;
    const { volunteered, slots } = this.state;
    const value = Object.hasOwn(slots, name) ? slots[name] : undefined;
    if (volunteered.includes(name)) {
      this.state = { ...this.state, volunteered: volunteered.filter((other) => other !== name) };
      if (checkValue(node.slot, value) !== undefined) {
        this.#goOn(`${name}: ${value}, given before`, node.next);
        return false;
      }
    }
    this.#ask(node, node.prompt, 1);
    return true;
  }

  #call(node: NodeOf<"tool" | "message" | "transfer">): void {
    if (this.#hasSpoken && this.#program.isSpoken) {
      this.effects.push({ type: "pause" });
      return;
    }
    this.state = { ...this.state, phase: "called" };
    this.#note(node.id, node.type === "tool" ? `calls ${node.tool}` : node.type);
    const say = node.type === "tool" ? this.#render(node.say ?? "") : "";
    this.effects.push({ type: "call", ...this.#request(node), say });
  }

  #request(node: NodeOf<"tool" | "message" | "transfer">): {
    toolName: string;
    input: Record<string, SlotValue>;
  } {
    if (node.type === "message")
      return { toolName: MESSAGE_TOOL_NAME, input: { text: this.#render(node.text) } };
    if (node.type === "transfer") return { toolName: TRANSFER_TOOL_NAME, input: { to: node.route } };
    const values = valuesOf(this.#program, this.state);
    const input = Object.entries(node.arguments ?? {}).flatMap(([name, argument]) => {
      const value = renderArgument(argument, values);
      return value === undefined ? [] : [[name, value] as const];
    });
    return { toolName: node.tool, input: Object.fromEntries(input) };
  }

  /** Notes a step of the current node, and makes another one due. */
  #goOn(text: string, next: string): void {
    const { nodeId } = this.state;
    const { toolCallId: _answered, ...state } = this.state;
    this.state = { ...state, nodeId: next, phase: "due", attempts: 0 };
    this.#note(nodeId, text);
  }

  #note(nodeId: string, text: string): void {
    this.effects.push({ type: "note", nodeId, text, state: this.state });
  }

  #say(template: string): void {
    const text = this.#render(template);
    if (text === "") return;
    this.#hasSpoken = true;
    this.effects.push({ type: "say", text });
  }

  #render(template: string): string {
    return renderText(template, valuesOf(this.#program, this.state)).trim();
  }

  #store(name: string, value: SlotValue | undefined): void {
    const { [name]: _before, ...others } = this.state.slots;
    this.state = { ...this.state, slots: value === undefined ? others : { ...others, [name]: value } };
  }

  /** Slots of questions that have no value yet, each once. */
  #openSlots() {
    const slots = new Map(
      this.#program.definition.nodes.flatMap((node) =>
        node.type === "ask" && !Object.hasOwn(this.state.slots, node.slot.name)
          ? [[node.slot.name, node.slot] as const]
          : [],
      ),
    );
    return [...slots.values()];
  }

  get #node(): FlowNode {
    const node = this.#program.nodes.get(this.state.nodeId);
    if (node === undefined) throw new Error(`the flow has no node ${this.state.nodeId}`);
    return node;
  }
}

function readOwn(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
