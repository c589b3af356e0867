/** Shortest useful request bodies, which the reference offers as "Test request". */
import type { TSchema } from "typebox";

type Schema = TSchema & {
  type?: unknown;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  examples?: readonly unknown[];
  enum?: readonly unknown[];
  items?: Schema;
  minimum?: number;
  readOnly?: boolean;
};

/**
 * The example of the whole body if it has one; else its required fields. If no field is required, a change has its first
 * field with an example, and any other request has none.
 */
export function exampleOf(body: Schema, isChange: boolean): unknown {
  const { properties = {}, required = [], examples } = body;
  if (examples !== undefined) return examples[0];
  if (required.length > 0 || !isChange)
    return Object.fromEntries(required.map((name) => [name, valueOf(name, properties[name])]));
  const shown = Object.entries(properties).find(
    ([, { examples, readOnly }]) => readOnly !== true && examples !== undefined,
  );
  return shown === undefined ? {} : { [shown[0]]: shown[1].examples?.[0] };
}

function valueOf(name: string, schema: Schema | undefined): unknown {
  const { examples, enum: values, properties, type } = schema ?? {};
  if (examples !== undefined) return examples[0];
  if (values !== undefined) return values[0];
  if (properties !== undefined && schema !== undefined) return exampleOf(schema, false);
  if (type === "boolean") return true;
  throw new Error(`the required field ${name} needs an example`);
}
