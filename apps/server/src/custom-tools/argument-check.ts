import type { ToolInputSchema } from "@parley/conversation";
import { Errors } from "typebox/schema";
import { CheckCost } from "./check-cost.ts";
import { isObject, isSchemaKeyword, isSchemaList, isSchemaMap } from "./json-schema.ts";

/** What is wrong with a tool's arguments, one line each; empty where nothing is. */
export type ArgumentCheck = (input: unknown) => string[];

/** They refuse more where what stands in them refuses less, and go whole where patterns stand in them. */
const inverted = new Set(["not", "oneOf", "if", "contains"]);
const MOST_PROBLEMS = 10;

/**
 * Checks what a model wants to call a tool with against the tool's JSON Schema. Patterns are left to the tool's own server:
 * one organization's regular expression could hold up the calls of all (ReDoS). So is what would take longer than a few
 * milliseconds.
 */
export function createArgumentCheck(schema: ToolInputSchema): ArgumentCheck {
  const prepared = attempt(() => {
    const checked = withoutPatterns(schema);
    return { checked, cost: new CheckCost(checked) };
  });
  if (prepared === undefined) return () => [];
  const { checked, cost } = prepared;
  return (input) => {
    if (!cost.isWithinBudget(input)) return [];
    const [isValid, errors] = attempt(() => Errors(checked, input)) ?? [true, []];
    if (isValid) return [];
    return errors
      .filter(({ keyword }) => keyword !== "boolean")
      .slice(0, MOST_PROBLEMS)
      .map(
        ({ instancePath, message }) => `${instancePath.slice(1).replaceAll("/", ".") || "they"} ${message}`,
      );
  };
}

/** The schema itself where it has none. */
function withoutPatterns(schema: object): object {
  const isOpen = "patternProperties" in schema;
  return mapValues(schema, (keyword, value) => {
    if (keyword === "pattern" || keyword === "patternProperties") return undefined;
    // What the patterns allow besides is not known without them.
    if (isOpen && /^(additional|unevaluated)Properties$/.test(keyword)) return undefined;
    const left = withoutPatternsIn(keyword, value);
    return inverted.has(keyword) && left !== value ? undefined : left;
  });
}

function withoutPatternsIn(keyword: string, value: unknown): unknown {
  const strip = (each: unknown): unknown => (isObject(each) ? withoutPatterns(each) : each);
  if (Array.isArray(value)) {
    if (!isSchemaList(keyword)) return value;
    const left = value.map(strip);
    return left.some((each, index) => each !== value[index]) ? left : value;
  }
  if (isSchemaMap(keyword) && isObject(value)) return mapValues(value, (_name, each) => strip(each));
  return isSchemaKeyword(keyword) ? strip(value) : value;
}

/** Leaves out what becomes undefined; gives the object itself where nothing changes. */
function mapValues(object: object, change: (name: string, value: unknown) => unknown): object {
  let isChanged = false;
  const entries = Object.entries(object).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
    const changed = change(name, value);
    if (changed !== value) isChanged = true;
    return changed === undefined ? [] : [[name, changed]];
  });
  return isChanged ? Object.fromEntries(entries) : object;
}

/** Undefined where the stack is not deep enough. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
