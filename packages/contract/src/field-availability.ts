/** Which changes of a document are rejected because their fields have no effect yet. */
import { asValues, type Field, type FieldTable, type Values, type ValuesOf } from "./field-table.ts";

/**
 * Returns the document with its unavailable fields as they were `before`, except for those at their defaults, and the paths of
 * the fields that this changed. Values that were stored before pass.
 */
export function withAvailableOnly<const T extends FieldTable>(
  table: T,
  before: Readonly<ValuesOf<T>>,
  document: Readonly<ValuesOf<T>>,
): { document: ValuesOf<T>; refused: string[] } {
  const refused: string[] = [];
  const available = select(table, { before, document, prefix: "", isUnavailable: false }, refused);
  return { document: available as ValuesOf<T>, refused };
}

interface Selection {
  before: Values;
  document: Values;
  /** Path of the table in the document: empty, or with a dot at its end. */
  prefix: string;
  /** Whether the whole table is unavailable. */
  isUnavailable: boolean;
}

function select(table: FieldTable, selection: Selection, refused: string[]): Values {
  const selectField = (name: string, field: Field): unknown => {
    const isUnavailable = selection.isUnavailable || field.isUnavailable === true;
    const path = selection.prefix + name;
    const [before, next] = [selection.before[name], selection.document[name]];
    if ("fields" in field) {
      const values = { before: asValues(before) ?? {}, document: asValues(next) ?? {} };
      return select(field.fields, { ...values, prefix: `${path}.`, isUnavailable }, refused);
    }
    if (isSameJson(next, defaultOf(field)) || isSameJson(next, before)) return next;
    const unavailable = isUnavailable ? [path] : findInItems(field, next, path);
    if (unavailable.length === 0) return next;
    refused.push(...unavailable);
    return before;
  };
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [name, selectField(name, field)]));
}

/** Returns the paths of unavailable fields in items of a list that differ from their defaults. */
function findInItems(field: Exclude<Field, { fields: unknown }>, list: unknown, path: string): string[] {
  if (!("items" in field) || !Array.isArray(list)) return [];
  return list.flatMap((item, index) => {
    const values = asValues(item) ?? {};
    return Object.entries(field.items).flatMap(([name, itemField]) =>
      itemField.isUnavailable !== true ||
      "fields" in itemField ||
      values[name] === undefined ||
      isSameJson(values[name], defaultOf(itemField))
        ? []
        : [`${path}.${index}.${name}`],
    );
  });
}

function defaultOf(field: Exclude<Field, { fields: unknown }>): unknown {
  if ("items" in field) return [];
  return "initial" in field ? field.initial : undefined;
}

/** Compares JSON values, regardless of the order of their keys and the sign of zero. */
function isSameJson(one: unknown, other: unknown): boolean {
  const [values, others] = [asValues(one), asValues(other)];
  if (values === undefined || others === undefined) return one === other;
  const names = Object.keys(values);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(others).length &&
    names.every((name) => isSameJson(values[name], others[name]))
  );
}
