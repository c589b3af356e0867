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

function withoutPatterns(schema: object): object {
  const isOpen = "patternProperties" in schema;
  const entries = Object.entries(schema).flatMap(
    ([keyword, value]: [string, unknown]): [string, unknown][] => {
      if (keyword === "pattern" || keyword === "patternProperties") return [];
      // What the patterns allow besides is not known without them.
      if (isOpen && /^(additional|unevaluated)Properties$/.test(keyword)) return [];
      return [[keyword, withoutPatternsIn(keyword, value)]];
    },
  );
  return Object.fromEntries(entries);
}

function withoutPatternsIn(keyword: string, value: unknown): unknown {
  const strip = (each: unknown): unknown =>
    typeof each === "object" && each !== null && !Array.isArray(each) ? withoutPatterns(each) : each;
  if (Array.isArray(value)) {
    return schemaLists.has(keyword) || keyword === "items" ? value.map(strip) : value;
  }
  if (schemaMaps.has(keyword) && typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]: [string, unknown]) => [name, strip(each)]),
    );
  }
  return schemas.has(keyword) ? strip(value) : value;
}

/** Undefined where the stack is not deep enough. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
