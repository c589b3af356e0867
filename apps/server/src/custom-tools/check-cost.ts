import { isObject, resolveReference, type Subschema, subschemasOf } from "./json-schema.ts";

/** Steps that one check may take. No check of this many took more than 9 ms (measured). */
const MAX_STEPS = 20_000;
/** Looking at one schema against one value, beside what its keywords take. */
const VISIT_STEPS = 4;
/** They change what a `$ref` means; without them it names a place in the document. */
const scopeKeywords = new Set([
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveAnchor",
  "$recursiveRef",
]);

class TooMuch extends Error {
  override readonly name = "TooMuch";
}

/**
 * Tells beforehand whether a check ends within the budget, since nothing can stop it: a schema of 2 kB can take a million
 * years (30 levels, each with two `$ref`s to the next). It walks as the check does, and gives up when the budget is spent.
 */
export class CheckCost {
  readonly #root: object;
  /** What resolving one reference takes: the library looks through the whole document. */
  readonly #referenceSteps: number;
  readonly #isCheckable: boolean;

  constructor(schema: object) {
    this.#root = schema;
    let nodes = 0;
    let hasScopes = false;
    forEachNode(schema, (node) => {
      nodes++;
      hasScopes ||= isObject(node) && Object.keys(node).some((key) => scopeKeywords.has(key));
    });
    this.#referenceSteps = nodes;
    this.#isCheckable = !hasScopes;
  }

  isWithinBudget(value: unknown): boolean {
    return this.#isCheckable && new Walk(this.#root, this.#referenceSteps).isWithinBudget(value);
  }
}

class Walk {
  readonly #root: object;
  readonly #referenceSteps: number;
  #left = MAX_STEPS;

  constructor(root: object, referenceSteps: number) {
    this.#root = root;
    this.#referenceSteps = referenceSteps;
  }

  isWithinBudget(value: unknown): boolean {
    try {
      this.#visit(this.#root, value);
      return true;
    } catch {
      // Spent, or deeper than the stack.
      return false;
    }
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuch();
  }

  #visit(schema: object, value: unknown): void {
    this.#spend(VISIT_STEPS);
    this.#spendOnKeywords(schema, value);
    if ("$ref" in schema) {
      this.#spend(this.#referenceSteps);
      const target = resolveReference(this.#root, schema.$ref);
      // Where it leads is not known here.
      if (target === undefined) throw new TooMuch();
      if (isObject(target)) this.#visit(target, value);
    }
    for (const subschema of subschemasOf(schema)) {
      this.#spend(1);
      this.#visitPart(subschema, value);
    }
  }

  /** As each keyword applies its schema: to the value itself, or to parts of it. */
  #visitPart({ keyword, place, schema }: Subschema, value: unknown): void {
    switch (keyword) {
      case "properties":
        if (isObject(value) && typeof place === "string" && Object.hasOwn(value, place))
          this.#visit(schema, (value as Record<string, unknown>)[place]);
        return;
      case "propertyNames":
        if (isObject(value)) for (const name of Object.keys(value)) this.#visit(schema, name);
        return;
      case "additionalProperties":
      case "unevaluatedProperties":
        if (isObject(value)) for (const each of Object.values(value)) this.#visit(schema, each);
        return;
      case "prefixItems":
      case "items":
      case "additionalItems":
      case "unevaluatedItems":
      case "contains":
        if (!Array.isArray(value)) return;
        if (typeof place === "number") {
          if (place < value.length) this.#visit(schema, value[place]);
        } else for (const each of value) this.#visit(schema, each);
        return;
      default:
        this.#visit(schema, value);
    }
  }

  #spendOnKeywords(schema: object, value: unknown): void {
    for (const [keyword, content] of Object.entries(schema) as [string, unknown][]) {
      this.#spend(1);
      if (keyword === "enum" || keyword === "const" || keyword === "required") this.#spendOnNodes(content);
      // Every item and every property is compared with those before it, or copied with them.
      if (Array.isArray(value)) this.#spend((value.length * value.length) / 1_000);
      if (keyword === "uniqueItems") this.#spendOnNodes(value);
      // Formats are regular expressions, of the library's own.
      if (keyword === "format" && typeof value === "string")
        this.#spend((value.length * value.length) / 1_000);
      if (/^m(?:ax|in)Length$/.test(keyword) && typeof value === "string") this.#spend(value.length / 10);
    }
    if (isObject(value)) this.#spend(Object.keys(value).length);
  }

  #spendOnNodes(value: unknown): void {
    forEachNode(value, () => this.#spend(1));
  }
}

function forEachNode(value: unknown, see: (node: unknown) => void): void {
  see(value);
  if (typeof value !== "object" || value === null) return;
  for (const each of Object.values(value)) forEachNode(each, see);
}
