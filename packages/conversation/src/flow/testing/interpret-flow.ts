/**
 * A second implementation of flows, for tests: a coroutine that walks the definition in the order in which a reader would,
 * and keeps nothing between its steps but its own position. It shares no code with the state machine but the reading of
 * values, and is neither quick nor resumable.
 */
import type { FlowDefinition, FlowNode, FlowTest, SlotValue } from "../flow-definition.ts";
import { checkValue, readByRules, readKeys } from "../slot-values.ts";

/** What the interpreter asks for. */
export type Demand =
  | { want: "caller" }
  | { want: "tool"; name: string; input: Record<string, unknown> }
  | { want: "model" }
  | { want: "judgment" };

/** What it gets: the fields that fit the demand. */
export interface Supply {
  /** What the caller said; `undefined` for silence. */
  text?: string;
  keys?: string;
  output?: string;
  isError?: boolean;
  exit?: string;
  branch?: number;
}

export interface World {
  log: (line: string) => void;
}

/** Runs a flow to its end, without a language model that reads answers. */
export function* interpretFlow(flow: FlowDefinition, { log }: World): Generator<Demand, void, Supply> {
  const slots = new Map<string, SlotValue>();
  const fill = (text: string): string => {
    let filled = text;
    for (const [name, value] of slots) filled = filled.split(`{{${name}}}`).join(String(value));
    return filled.replace(/\{\{\w+\}\}/g, "");
  };
  const say = (text: string): void => {
    const spoken = fill(text).trim();
    if (spoken !== "") log(`say ${spoken}`);
  };
  const find = (id: string): FlowNode => {
    const node = flow.nodes.filter((each) => each.id === id)[0];
    if (node === undefined) throw new Error(id);
    return node;
  };
  const wish = ({ text, keys }: Supply): "human" | "goodbye" | "repeat" | undefined => {
    for (const name of ["human", "goodbye", "repeat"] as const) {
      const intent = flow.intents?.[name];
      if (intent === undefined) continue;
      if (keys !== undefined && intent.key === keys) return name;
      if (text !== undefined && (intent.phrases ?? []).some((phrase) => phrase === text)) return name;
    }
    return undefined;
  };
  let here = find(flow.start);
  for (;;) {
    if (here.type === "end") {
      say(here.text ?? "");
      return;
    }
    if (here.type === "say") {
      say(here.text);
      here = find(here.next);
    } else if (here.type === "condition") {
      let chosen = here.otherwise;
      for (const branch of [...here.branches].reverse()) {
        const results = branch.tests.map((test) => holds(test, slots.get(test.name)));
        const isTaken = branch.match === "any" ? results.includes(true) : !results.includes(false);
        if (isTaken) chosen = branch.next;
      }
      here = find(chosen);
    } else if (here.type === "judge") {
      const { branch = -1 } = yield { want: "judgment" };
      here = find(branch in here.branches ? (here.branches[branch]?.next ?? "") : here.otherwise);
    } else if (here.type === "tool") {
      const input: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(here.arguments ?? {})) {
        const slot = typeof value === "string" ? /^\{\{(\w+)\}\}$/.exec(value)?.[1] : undefined;
        if (slot === undefined) input[name] = typeof value === "string" ? fill(value) : value;
        else if (slots.has(slot)) input[name] = slots.get(slot);
      }
      const { output = "", isError = false } = yield { want: "tool", name: here.tool, input };
      if (!isError) {
        for (const { slot, path } of here.save ?? []) {
          slots.delete(slot);
          const saved: unknown = (JSON.parse(output) as Record<string, unknown>)[path];
          if (typeof saved === "string" || typeof saved === "number") slots.set(slot, saved);
        }
      }
      here = find(isError ? here.onFailure : here.next);
    } else if (here.type === "transfer") {
      const { output = "", isError = false } = yield {
        want: "tool",
        name: "transfer_call",
        input: { to: here.route },
      };
      if (!isError) return;
      if (here.saveFailure !== undefined)
        slots.set(here.saveFailure, /^(busy|no answer)( \(|$)/.exec(output)?.[1] ?? "failed");
      here = find(here.onFailure);
    } else if (here.type === "subPrompt") {
      const { exits, onMaxTurns, maxTurns = 20 } = here;
      let target: string | undefined;
      for (let turn = 1; target === undefined; turn++) {
        const { exit } = yield { want: "model" };
        target = exits.filter(({ name }) => name === exit)[0]?.next;
        if (target !== undefined) break;
        log("wait");
        const heard = yield { want: "caller" };
        const asked = wish(heard);
        if (asked === "human" || asked === "goodbye") target = flow.intents?.[asked]?.next;
        else if (turn >= maxTurns && (heard.text ?? heard.keys) !== undefined && asked === undefined)
          target = onMaxTurns;
      }
      here = find(target);
    } else if (here.type === "ask") {
      let left = here.maxAttempts ?? 3;
      let question = here.prompt;
      let target: string | undefined;
      while (target === undefined) {
        say(question);
        log("wait");
        const heard = yield { want: "caller" };
        const asked = wish(heard);
        if (asked === "repeat") {
          question = here.prompt;
          continue;
        }
        if (asked !== undefined) {
          target = flow.intents?.[asked]?.next;
          continue;
        }
        const { slot } = here;
        const read =
          heard.keys === undefined
            ? heard.text === undefined
              ? undefined
              : readByRules(slot, { text: heard.text, language: "en", isLenient: true })
            : readKeys(slot, heard.keys);
        const value = read === undefined ? undefined : checkValue(slot, read);
        if (value !== undefined) {
          slots.set(slot.name, value);
          target = here.next;
        } else if (--left === 0) target = here.onExhausted;
        else question = here.reprompt ?? here.prompt;
      }
      here = find(target);
    } else throw new Error(here.type);
  }
}

/** Written by cases of the value, where the state machine's goes by cases of the comparison. */
function holds({ is, value, values = [] }: FlowTest, actual: SlotValue | undefined): boolean {
  if (actual === undefined) return is === "empty" || is === "not_equal";
  const isSame = (other: SlotValue | undefined): boolean => other === actual;
  const table: Record<FlowTest["is"], () => boolean> = {
    empty: () => actual === "",
    filled: () => actual !== "",
    equal: () => isSame(value),
    not_equal: () => !isSame(value),
    one_of: () => values.some(isSame),
    contains: () => `${actual}`.toLowerCase().indexOf(`${value}`.toLowerCase()) >= 0,
    less: () => isOrdered(actual, value) && !isSame(value) && !follows(actual, value),
    at_most: () => isOrdered(actual, value) && !follows(actual, value),
    greater: () => isOrdered(actual, value) && follows(actual, value),
    at_least: () => isOrdered(actual, value) && (isSame(value) || follows(actual, value)),
  };
  return table[is]();
}

function isOrdered(one: SlotValue, other: SlotValue | undefined): boolean {
  return typeof one !== "boolean" && typeof one === typeof other;
}

function follows(one: SlotValue, other: SlotValue | undefined): boolean {
  const sorted = [one, other].toSorted((a, b) =>
    typeof a === "number" ? a - Number(b) : `${a}` < `${b}` ? -1 : 1,
  );
  return one !== other && sorted[1] === one;
}
