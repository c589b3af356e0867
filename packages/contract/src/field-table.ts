/**
 * Tables of a document's fields, each with its schema and its default. One table yields the schemas of responses,
 * creations and changes, the defaults, and how a change is applied.
 */
import { type Static, type TArrayOptions, type TSchema, Type } from "typebox";
import { closedObject } from "./schemas.ts";

interface ValueField<S extends TSchema = TSchema> {
  schema: S;
  initial: Static<S>;
}

interface RequiredField<S extends TSchema = TSchema> {
  schema: S;
}

interface GroupField<T extends FieldTable = FieldTable> {
  fields: T;
}

interface ListField<T extends FieldTable = FieldTable> {
  items: T;
  options: TArrayOptions;
}

type Field = ValueField | RequiredField | GroupField | ListField;

/** Fields by name. */
export interface FieldTable {
  readonly [name: string]: Field;
}

/** A field that a change replaces completely. */
export function value<S extends TSchema>(schema: S, initial: Static<S>): ValueField<S> {
  return { schema, initial };
}

/** A field that a creation requires and that cannot be null. */
export function required<S extends TSchema>(schema: S): RequiredField<S> {
  return { schema };
}

/** An object that a change merges by field. */
export function group<const T extends FieldTable>(fields: T): GroupField<T> {
  return { fields };
}

/** An ordered list of objects, initially empty. A change replaces the list; fields missing in an item get their defaults. */
export function list<const T extends FieldTable>(items: T, options: TArrayOptions): ListField<T> {
  return { items, options };
}

type ValueOf<F> =
  F extends ListField<infer T>
    ? ValuesOf<T>[]
    : F extends GroupField<infer T>
      ? ValuesOf<T>
      : F extends RequiredField<infer S>
        ? Static<S>
        : never;

/** A document with every field of the table. */
export type ValuesOf<T> = { -readonly [K in keyof T]: ValueOf<T[K]> };

type RequiredNames<T> = {
  [K in keyof T]: T[K] extends { initial: unknown } | GroupField | ListField ? never : K;
}[keyof T];

type ChangeOf<F> =
  F extends ListField<infer T>
    ? CreationOf<T>[] | null
    : F extends GroupField<infer T>
      ? ChangesOf<T> | null
      : F extends ValueField<infer S>
        ? Static<S> | null
        : F extends RequiredField<infer S>
          ? Static<S>
          : never;

/** An absent field is unchanged, null resets it to its default, and groups merge by field. */
export type ChangesOf<T> = { [K in keyof T]?: ChangeOf<T[K]> };

/** An absent field or null becomes the default. */
export type CreationOf<T> = Omit<ChangesOf<T>, RequiredNames<T>> & {
  [K in RequiredNames<T>]: ChangeOf<T[K]>;
};

/** Schemas of the table's fields, all required. */
export function valueSchemas(table: FieldTable): Record<string, TSchema> {
  return mapTable(table, (field) => {
    if ("items" in field) return Type.Array(Type.Object(valueSchemas(field.items)), field.options);
    return "fields" in field ? Type.Object(valueSchemas(field.fields)) : field.schema;
  });
}

/** Schemas of a creation's fields, with their defaults in the descriptions. */
export function creationSchemas(table: FieldTable): Record<string, TSchema> {
  return inputSchemas(table, true);
}

/** Schemas of a change's fields, all optional. */
export function changeSchemas(table: FieldTable): Record<string, TSchema> {
  return inputSchemas(table, false);
}

function inputSchemas(table: FieldTable, isCreation: boolean): Record<string, TSchema> {
  return mapTable(table, (field) => {
    if ("items" in field) {
      const items = Type.Array(closedObject(inputSchemas(field.items, true)), field.options);
      return Type.Optional(acceptingNull(items));
    }
    if ("fields" in field) {
      const fields = closedObject(inputSchemas(field.fields, isCreation));
      return Type.Optional(acceptingNull(fields));
    }
    if (!("initial" in field)) return isCreation ? field.schema : Type.Optional(field.schema);
    const schema = acceptingNull(field.schema);
    return Type.Optional(isCreation ? withDefaultNoted(schema, field.initial) : schema);
  });
}

/**
 * Names the default in the description. The keyword `default` in a request makes generators of clients require the
 * field, send it always, or drop the whole schema.
 */
export function withDefaultNoted<S extends TSchema>(schema: S, initial: unknown): S {
  return withNote(schema, `Default: \`${JSON.stringify(initial)}\`.`);
}

function withNote<S extends TSchema & { description?: string }>(schema: S, note: string): S {
  return {
    ...schema,
    description: schema.description === undefined ? note : `${schema.description} ${note}`,
  };
}

function acceptingNull(schema: TSchema & { type?: unknown; enum?: unknown }): TSchema {
  if (Array.isArray(schema.enum)) {
    return { ...schema, type: ["string", "null"], enum: [...new Set<unknown>([...schema.enum, null])] };
  }
  return typeof schema.type === "string" ? { ...schema, type: [schema.type, "null"] } : schema;
}

/**
 * Returns the document after a change and ignores fields that the table does not have. On creation `document` is
 * `undefined`, and the change must have passed the creation's schema. The result shares no objects with either.
 */
export function mergeFields<const T extends FieldTable>(
  table: T,
  document: Readonly<ValuesOf<T>> | undefined,
  change: ChangesOf<T>,
): ValuesOf<T> {
  return merge(table, document, change) as ValuesOf<T>;
}

/** Document with the default of every field, without the required fields. */
export function defaultsOf<const T extends FieldTable>(table: T): Omit<ValuesOf<T>, RequiredNames<T>> {
  return merge(table, undefined, {}) as Omit<ValuesOf<T>, RequiredNames<T>>;
}

type Values = Readonly<Record<string, unknown>>;

function merge(table: FieldTable, document: Values | undefined, change: Values): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(table)) {
    const next = mergeField(field, document?.[name], change[name]);
    if (next !== undefined) merged[name] = next;
  }
  return merged;
}

function mergeField(field: Field, before: unknown, change: unknown): unknown {
  if ("fields" in field) {
    return merge(field.fields, change === null ? undefined : asValues(before), asValues(change) ?? {});
  }
  const next = change === undefined ? before : change;
  if (!("items" in field)) return clone(next ?? ("initial" in field ? field.initial : undefined));
  return Array.isArray(next) ? next.map((item) => merge(field.items, asValues(item), {})) : [];
}

function clone(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

function asValues(candidate: unknown): Values | undefined {
  return typeof candidate === "object" && candidate !== null ? (candidate as Values) : undefined;
}

function mapTable(table: FieldTable, map: (field: Field) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [name, map(field)] as const));
}
