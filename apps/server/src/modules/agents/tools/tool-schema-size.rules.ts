import { resolveReference, subschemasOf } from "../../../custom-tools/json-schema.ts";

/** Characters of the JSON. Every version of the agent stores it, and every turn sends it to the language model. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;
/**
 * A schema that several `$ref`s reference counts once for each. The largest schema that may be stored contains about
 * 4,000 without references.
 */
const MAX_EXPANDED_SCHEMAS = 5_000;
/** Values are compared with each other when the schema is stored, and with an argument when the tool is called. */
const MAX_ENUM_VALUES = 1_000;

/**
 * Describes what is too large in a tool's schema; `undefined` if it is small enough. The check's own work is bounded.
 */
export function findSchemaSizeProblem(schema: object, parameters: object): string | undefined {
  if (depthOf(schema) > MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
  if (JSON.stringify(schema).length > MAX_CHARACTERS)
    return `must have at most ${MAX_CHARACTERS} characters as JSON`;
  return new Expansion(parameters).findProblem();
}

/** Measures level by level, so that a value deeper than the call stack is measured too. */
function depthOf(value: unknown): number {
  let depth = 0;
  let level = [value];
  while (level.length > 0 && depth <= MAX_DEPTH) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    depth++;
  }
  return depth;
}

/**
 * Counts a schema's subschemas with references followed. A reference to an enclosing schema is a loop and is not
 * followed.
 */
class Expansion {
  readonly #root: object;
  readonly #path = new Set<object>();
  #count = 0;

  constructor(root: object) {
    this.#root = root;
  }

  findProblem(): string | undefined {
    return this.#follow(this.#root);
  }

  #follow(schema: object): string | undefined {
    if (this.#path.has(schema)) return undefined;
    if (++this.#count > MAX_EXPANDED_SCHEMAS)
      return `must not expand to more than ${MAX_EXPANDED_SCHEMAS} schemas: a schema counts once for each "$ref" to it`;
    if (this.#path.size >= MAX_DEPTH)
      return `must not be nested more than ${MAX_DEPTH} levels deep; each "$ref" counts as one level`;
    if ("enum" in schema && Array.isArray(schema.enum) && schema.enum.length > MAX_ENUM_VALUES)
      return `must have at most ${MAX_ENUM_VALUES} values in an "enum"`;
    this.#path.add(schema);
    const problem = this.#followParts(schema);
    this.#path.delete(schema);
    return problem;
  }

  #followParts(schema: object): string | undefined {
    const target = "$ref" in schema ? resolveReference(this.#root, schema.$ref) : undefined;
    const parts = [
      ...(typeof target === "object" && target !== null ? [target] : []),
      ...subschemasOf(schema).map((part) => part.schema),
    ];
    for (const part of parts) {
      const problem = this.#follow(part);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}
