import type { ToolInputSchema } from "@parley/conversation";
import { Errors } from "typebox/schema";

/** What is wrong with a tool's arguments, one line each; empty where nothing is. */
export type ArgumentCheck = (input: unknown) => string[];

const schemaMaps = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
const schemaLists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const schemas = new Set([
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);
/** They refuse more where what stands in them refuses less, and go whole where patterns stand in them. */
const inverted = new Set(["not", "oneOf", "if", "contains"]);
const MOST_PROBLEMS = 10;

/**
 * Checks what a model wants to call a tool with against the tool's JSON Schema. Patterns are left to the tool's own server:
 * one organization's regular expression could hold up the calls of all (ReDoS).
 */
export function createArgumentCheck(schema: ToolInputSchema): ArgumentCheck {
  const checked = attempt(() => withoutPatterns(schema));
  if (checked === undefined) return () => [];
  return (input) => {
    // A schema that refers to itself without end cannot be checked.
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
    if (!schemaLists.has(keyword) && keyword !== "items") return value;
    const left = value.map(strip);
    return left.some((each, index) => each !== value[index]) ? left : value;
  }
  if (schemaMaps.has(keyword) && isObject(value)) return mapValues(value, (_name, each) => strip(each));
  return schemas.has(keyword) ? strip(value) : value;
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

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined where the stack is not deep enough. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
