import { isObject, resolveReference, type Subschema, subschemasOf } from "./json-schema.ts";

/** Maximum number of steps of one check. No check with this many took more than 9 ms (measured). */
const MAX_STEPS = 20_000;
/** Steps for applying one schema to one value, in addition to those of its keywords. */
const VISIT_STEPS = 4;
/** Keywords that change the meaning of a `$ref`; without them it refers to a place in the document. */
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
 * Estimates in advance whether a check stays within the budget, because a running check cannot be stopped: a schema of
 * 2 kB can take a million years (30 levels, each with two `$ref`s to the next). Follows the same steps as the check,
 * and stops when the budget is spent.
 */
export class CheckCost {
  readonly #root: object;
  /** Steps for resolving one reference: the library searches the whole document. */
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
      // The budget is spent, or the schema is deeper than the call stack.
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
      // The target of the reference is unknown.
      if (target === undefined) throw new TooMuch();
      if (isObject(target)) this.#visit(target, value);
    }
    for (const subschema of subschemasOf(schema)) {
      this.#spend(1);
      this.#visitPart(subschema, value);
    }
  }

  /** Follows a keyword's schema, which applies to the value itself or to parts of it. */
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
      // Every item and property is compared with those before it, or copied with them.
      if (Array.isArray(value)) this.#spend((value.length * value.length) / 1_000);
      if (keyword === "uniqueItems") this.#spendOnNodes(value);
      // The library implements formats as regular expressions.
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
