import {
  isObject,
  isSchemaKeyword,
  isSchemaList,
  isSchemaMap,
  resolveReference,
} from "../../../custom-tools/json-schema.ts";

/** Keywords by which a `$ref` may refer to a name instead of a place in the document. */
const nameKeywords = ["$id", "$anchor", "$dynamicAnchor"];

/**
 * Describes the first pattern in a tool's parameters that is not a regular expression, or the first `$ref` that refers to
 * nothing in them; `undefined` if there is neither. The parameters must be a valid JSON Schema.
 */
export function findBrokenPart(parameters: object): string | undefined {
  const parts = [...partsOf(parameters, "")];
  const hasNames = parts.some(({ schema }) => nameKeywords.some((keyword) => keyword in schema));
  for (const { schema, at } of parts) {
    for (const pattern of patternsOf(schema))
      if (!isPattern(pattern))
        return `must have valid regular expressions as patterns: ${JSON.stringify(pattern)} at ${at || "/"} is not one`;
    if (!("$ref" in schema)) continue;
    const isNamed = hasNames && !String(schema.$ref).startsWith("#/");
    if (!isNamed && resolveReference(parameters, schema.$ref) === undefined)
      return `must have every "$ref" refer to a part of the parameters ("#/$defs/…"): ${JSON.stringify(schema.$ref)} at ${at || "/"} refers to nothing`;
  }
  return undefined;
}

interface Part {
  schema: object;
  /** JSON pointer. */
  at: string;
}

/** The schema and all schemas within it, including definitions and those of patterns. */
function* partsOf(schema: object, at: string): Generator<Part> {
  yield { schema, at };
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    const isMap = isSchemaMap(keyword) || keyword === "patternProperties";
    if ((Array.isArray(value) && isSchemaList(keyword)) || (isObject(value) && isMap)) {
      for (const [place, each] of Object.entries(value) as [string, unknown][])
        if (isObject(each)) yield* partsOf(each, `${at}/${keyword}/${place}`);
    } else if (isObject(value) && isSchemaKeyword(keyword)) yield* partsOf(value, `${at}/${keyword}`);
  }
}

function patternsOf(schema: object): string[] {
  const { pattern, patternProperties } = schema as { pattern?: unknown; patternProperties?: unknown };
  return [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
}

/** JSON Schema recommends the flag `u`, but many patterns in use are valid only without it. */
function isPattern(text: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(text, flags).flags === flags;
    } catch {
      return false;
    }
  });
}
