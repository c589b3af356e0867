import type { SlotValue } from "./flow-definition.ts";

const MAX_CHARACTERS = 500;

/** The values of a tool's answer that a node saves, by slot; `undefined` for one that the answer lacks. */
export function savedValues(
  save: readonly { slot: string; path: string }[],
  output: string,
): [slot: string, value: SlotValue | undefined][] {
  if (save.length === 0) return [];
  const answer = parse(output);
  return save.map(({ slot, path }) => [slot, toSlotValue(readPath(answer, path.split(".")))]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readPath(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

function toSlotValue(value: unknown): SlotValue | undefined {
  if (typeof value === "string") return value.slice(0, MAX_CHARACTERS);
  return typeof value === "number" || typeof value === "boolean" ? value : undefined;
}
