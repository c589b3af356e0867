import type { ToolInputSchema } from "@parley/conversation";
import { Errors } from "typebox/schema";
import { CheckCost } from "./check-cost.ts";
import { isObject, isSchemaKeyword, isSchemaList, isSchemaMap } from "./json-schema.ts";

/** Problems of a tool's arguments, one line each; empty if the arguments are valid. */
export type ArgumentCheck = (input: unknown) => string[];

/** Keywords that reject more if their subschemas reject less. They are removed whole if they contain patterns. */
const inverted = new Set(["not", "oneOf", "if", "contains"]);
const MAX_PROBLEMS = 10;

/**
 * Checks a model's arguments against the tool's JSON Schema. Patterns are left to the tool's own server, because one
 * organization's regular expression could block the calls of all (ReDoS). Checks that would take longer than a few
 * milliseconds are left to it too.
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
      .slice(0, MAX_PROBLEMS)
      .map(
        ({ instancePath, message }) => `${instancePath.slice(1).replaceAll("/", ".") || "they"} ${message}`,
      );
  };
}

/** Returns the schema itself if it has no patterns. */
function withoutPatterns(schema: object): object {
  const isOpen = "patternProperties" in schema;
  return mapValues(schema, (keyword, value) => {
    if (keyword === "pattern" || keyword === "patternProperties") return undefined;
    // Without the patterns it is unknown which other properties they allow.
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

/** Omits values that become `undefined`; returns the object itself if nothing changes. */
function mapValues(object: object, change: (name: string, value: unknown) => unknown): object {
  let isChanged = false;
  const entries = Object.entries(object).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
    const changed = change(name, value);
    if (changed !== value) isChanged = true;
    return changed === undefined ? [] : [[name, changed]];
  });
  return isChanged ? Object.fromEntries(entries) : object;
}

/** `undefined` if the call stack is not deep enough. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
