import type { TSchema } from "typebox";

/** The keywords that lead to further schemas. */
type Schema = TSchema & {
  type?: string;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema & { const?: unknown }>>;
  items?: Schema;
  maxItems?: number;
  prefixItems?: readonly Schema[];
  enum?: readonly unknown[];
  required?: readonly string[];
};

/**
 * Replaces each union of objects with different constants in `type` by the member whose `type` the value has, so that its
 * errors are those of this member. Returns the same schema if there is no such union at a value.
 */
export function narrowUnions(schema: TSchema, value: unknown): TSchema {
  return narrow(schema, value);
}

function narrow(schema: Schema, value: unknown): Schema {
  if (typeof value !== "object" || value === null) return schema;
  if (schema.anyOf !== undefined) return narrowUnion(schema, schema.anyOf, value);
  if (Array.isArray(value)) return narrowItems(schema, value);
  const { properties } = schema;
  if (properties === undefined) return schema;
  const changed = Object.entries(properties).flatMap(([name, property]) => {
    const narrowed = Object.hasOwn(value, name)
      ? narrow(property, (value as Record<string, unknown>)[name])
      : property;
    return narrowed === property ? [] : [[name, narrowed] as const];
  });
  return changed.length === 0
    ? schema
    : { ...schema, properties: { ...properties, ...Object.fromEntries(changed) } };
}

function narrowItems(schema: Schema, value: readonly unknown[]): Schema {
  const { items, ...rest } = schema;
  if (items === undefined) return schema;
  // Errors of the items are not needed then, and could be many.
  if (value.length > (schema.maxItems ?? Infinity)) return rest;
  const narrowed = value.map((item) => narrow(items, item));
  return narrowed.every((each) => each === items) ? schema : { ...rest, prefixItems: narrowed };
}

function narrowUnion(schema: Schema, members: readonly Schema[], value: object): Schema {
  const types = members.map((member) => member.properties?.["type"]?.const);
  if (types.includes(undefined)) return schema;
  const index = types.indexOf("type" in value ? value.type : undefined);
  const member = members[index];
  if (member !== undefined) return narrow(member, value);
  return { type: "object", required: ["type"], properties: { type: { enum: types } } };
}
