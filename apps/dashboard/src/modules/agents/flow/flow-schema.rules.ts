/** What the schema of flows says about a place in a definition that is being written. */
import { type FieldSchema, findFault } from "../../../ui/schema-field.rules.ts";

/** The keywords that flows use beside those of fields. */
export interface FlowSchema extends Omit<FieldSchema, "items" | "anyOf"> {
  properties?: Readonly<Record<string, FlowSchema>>;
  required?: readonly string[];
  items?: FlowSchema;
  anyOf?: readonly FlowSchema[];
  const?: unknown;
}

export type JsonPath = readonly (string | number)[];

export interface SchemaFault {
  path: JsonPath;
  message: string;
}

/** Faults of a definition by the schema, at their places. The API checks again, and more. */
export function findSchemaFaults(schema: FlowSchema, value: unknown, path: JsonPath = []): SchemaFault[] {
  const chosen = memberFor(schema, value);
  if (chosen === undefined) {
    const types = (schema.anyOf ?? []).map((member) => String(member.properties?.["type"]?.const));
    return [{ path, message: `“type” must be one of ${types.join(", ")}` }];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => findSchemaFaults(chosen.items ?? {}, item, [...path, index]));
  const { properties } = chosen;
  if (properties === undefined || typeof value !== "object" || value === null) {
    if (chosen.const !== undefined) return [];
    const fault = findFault(chosen, value);
    return fault === undefined ? [] : [{ path, message: fault }];
  }
  const missing = (chosen.required ?? []).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => ({ path, message: `“${name}” is required` })),
    ...Object.entries(value).flatMap(([name, each]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property !== undefined) return findSchemaFaults(property, each, [...path, name]);
      return [
        { path: [...path, name], message: `is not a field here: ${Object.keys(properties).join(", ")}` },
      ];
    }),
  ];
}

/** Description of the field at a place; `undefined` if the schema has none. */
export function describeAt(schema: FlowSchema, value: unknown, path: JsonPath): string | undefined {
  const chosen = memberFor(schema, value);
  const [name, ...rest] = path;
  if (chosen === undefined) return undefined;
  if (name === undefined) return schema.description ?? chosen.description;
  if (typeof name === "number") {
    return chosen.items && describeAt(chosen.items, (value as readonly unknown[] | undefined)?.[name], rest);
  }
  const property = Object.hasOwn(chosen.properties ?? {}, name) ? chosen.properties?.[name] : undefined;
  const inner =
    typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;
  return property && describeAt(property, inner, rest);
}

/** The schema itself, or the member of a union whose `type` the value has. */
function memberFor(schema: FlowSchema, value: unknown): FlowSchema | undefined {
  if (schema.anyOf === undefined) return schema;
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  return schema.anyOf.find((member) => member.properties?.["type"]?.const === type);
}
