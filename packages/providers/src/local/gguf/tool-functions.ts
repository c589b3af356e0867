import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ChatModelFunctions, GbnfJsonSchema } from "node-llama-cpp";
import { isObject } from "../../http/is-object.ts";

/** The tools that the model may call; `undefined` if there are none. */
export function toFunctions({
  tools,
  toolChoice,
}: LanguageModelV4CallOptions): ChatModelFunctions | undefined {
  if (toolChoice?.type === "none") return undefined;
  const functions = (tools ?? []).flatMap((tool) => {
    if (tool.type !== "function") return [];
    const params = toGrammarSchema(tool.inputSchema);
    const description = tool.description === undefined ? {} : { description: tool.description };
    return [[tool.name, { ...description, ...(params === undefined ? {} : { params }) }] as const];
  });
  return functions.length === 0 ? undefined : Object.fromEntries(functions);
}

/**
 * Reduces a JSON Schema to what a grammar can enforce: objects, arrays, enumerations and plain types. Everything else
 * becomes a free string; arguments are validated again before the tool runs.
 */
export function toGrammarSchema(schema: unknown): GbnfJsonSchema | undefined {
  if (!isObject(schema)) return undefined;
  const description = typeof schema["description"] === "string" ? { description: schema["description"] } : {};
  if (Array.isArray(schema["enum"])) {
    return {
      enum: schema["enum"].filter((each) => each === null || typeof each !== "object"),
      ...description,
    };
  }
  if (Array.isArray(schema["type"])) {
    return { type: schema["type"].filter(isPlainType), ...description };
  }
  switch (schema["type"]) {
    case "object": {
      const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
      const known = properties.map(
        ([name, each]) => [name, toGrammarSchema(each) ?? { type: "string" }] as const,
      );
      return { type: "object", properties: Object.fromEntries(known), ...description };
    }
    case "array":
      return { type: "array", items: toGrammarSchema(schema["items"]) ?? { type: "string" }, ...description };
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return { type: schema["type"], ...description };
    default:
      return { type: "string", ...description };
  }
}

type PlainType = "string" | "number" | "integer" | "boolean" | "null";

function isPlainType(type: unknown): type is PlainType {
  return typeof type === "string" && /^(string|number|integer|boolean|null)$/.test(type);
}
