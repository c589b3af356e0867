/** What a language model is told of a custom tool. */
export interface ToolFunction {
  /** Empty where the schema has none. */
  description: string;
  /** JSON Schema of the arguments, an object. */
  parameters: Record<string, unknown>;
}

const noParameters = { type: "object", properties: {} };

/** Reads both common forms: the bare function, and `{ type: "function", function }`. */
export function readToolFunction(schema: Readonly<Record<string, unknown>>): ToolFunction {
  const bare = isObject(schema["function"]) ? schema["function"] : schema;
  const { description, parameters } = bare;
  return {
    description: typeof description === "string" ? description : "",
    parameters: isObject(parameters) ? parameters : noParameters,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
