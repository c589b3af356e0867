const maps = new Set(["properties", "dependentSchemas", "dependencies"]);
const definitions = new Set(["$defs", "definitions"]);
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const singles = new Set([
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

/** Schema within another one, with its position: the keyword, and the place in the keyword's map or list. */
export interface Subschema {
  keyword: string;
  place: string | number | undefined;
  schema: object;
}

/** Whether the keyword contains schemas by name, including definitions. The value is a schema or a list of schemas. */
export const isSchemaMap = (keyword: string): boolean => maps.has(keyword) || definitions.has(keyword);
export const isSchemaList = (keyword: string): boolean => lists.has(keyword);
export const isSchemaKeyword = (keyword: string): boolean => singles.has(keyword);

/** Subschemas of a schema without its definitions, which count only if a `$ref` refers to them. */
export function* subschemasOf(schema: object): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    if (Array.isArray(value) && lists.has(keyword)) {
      for (const [place, each] of value.entries()) if (isObject(each)) yield { keyword, place, schema: each };
    } else if (isObject(value) && maps.has(keyword)) {
      for (const [place, each] of Object.entries(value))
        if (isObject(each)) yield { keyword, place, schema: each };
    } else if (isObject(value) && singles.has(keyword)) yield { keyword, place: undefined, schema: value };
  }
}

/** Resolves a `$ref` to a part of the same document (RFC 6901 §6); `undefined` for any other. */
export function resolveReference(root: object, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return undefined;
  let found: unknown = root;
  for (const token of reference.split("/").slice(1)) {
    const name = decode(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
