/** Description of a custom tool for a language model. */
export interface ToolFunction {
  /** Empty if the schema has no description. */
  description: string;
  /** JSON Schema of the arguments, an object schema. */
  parameters: Record<string, unknown>;
}

const noParameters = { type: "object", properties: {} };

/** Reads both common forms: the bare function, and `{ type: "function", function }`. */
export function readToolFunction(schema: Readonly<Record<string, unknown>>): ToolFunction {
  const { description, parameters } = functionOf(schema);
  return {
    description: typeof description === "string" ? description : "",
    parameters: isObject(parameters) ? parameters : noParameters,
  };
}

/** Whether the schema is a function in one of these forms, rather than only the schema of its arguments. */
export function isToolFunction(schema: Readonly<Record<string, unknown>>): boolean {
  const { type, function: wrapped } = schema;
  if (type !== undefined && type !== "function") return false;
  if (wrapped !== undefined && !isObject(wrapped)) return false;
  const { description, parameters, name } = functionOf(schema);
  const isText = (value: unknown) => value === undefined || typeof value === "string";
  if (!isText(description) || !isText(name)) return false;
  if (parameters !== undefined) return isObject(parameters);
  return description !== undefined || name !== undefined;
}

function functionOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isObject(schema["function"]) ? schema["function"] : schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
