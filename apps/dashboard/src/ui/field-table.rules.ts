/** Tables of the contract's fields, as forms use them. */
import { type FieldSchema, findFault } from "./schema-field.rules.ts";

/** An entry of a table: one value, a group of fields, or a list of objects. */
export interface FieldDescription {
  schema?: FieldSchema;
  /** Default. Absent: the field is required. */
  initial?: unknown;
  fields?: FieldTable;
  items?: FieldTable;
  options?: { maxItems?: number; description?: string };
}

export type FieldTable = Readonly<Record<string, FieldDescription>>;

/** Values with the default of every field. */
export function initialValues(table: FieldTable): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [name, initialOf(field)]));
}

function initialOf({ fields, items, initial, schema }: FieldDescription): unknown {
  if (fields !== undefined) return initialValues(fields);
  if (items !== undefined) return [];
  if (initial !== undefined) return structuredClone(initial);
  return schema?.type === "object" ? {} : "";
}

/** Faults of values by path, such as `postCallExtraction.0.name`. */
export function findFaults(table: FieldTable, values: unknown, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, field] of Object.entries(table)) {
    const path = `${prefix}${name}`;
    const value = valueOf(values, name);
    if (field.fields !== undefined) Object.assign(found, findFaults(field.fields, value, `${path}.`));
    else if (field.items !== undefined) Object.assign(found, findItemFaults(field.items, value, path));
    else {
      const fault = findFault(field.schema ?? {}, value);
      if (fault !== undefined) found[path] = fault;
    }
  }
  return found;
}

function findItemFaults(items: FieldTable, value: unknown, path: string): Record<string, string> {
  const list = Array.isArray(value) ? value : [];
  return Object.assign({}, ...list.map((item, index) => findFaults(items, item, `${path}.${index}.`)));
}

/** The value at a path of nested objects and lists. */
export function valueOf(values: unknown, path: string): unknown {
  let value = values;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

/** Those of the names whose values differ, compared as JSON. */
export function changedNames(
  names: readonly string[],
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
