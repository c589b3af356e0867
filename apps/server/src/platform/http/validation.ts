import type { Issue } from "@parley/contract";
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Format } from "typebox/format";
import { Value } from "typebox/value";
import { AppError } from "../app-error.ts";
import { isStorableText } from "../database/storable-text.ts";

type Validator = ReturnType<typeof Compile>;
type SchemaError = ReturnType<Validator["Errors"]>[number];

/** No schema comes near it; fields that are accepted whatever they hold could. */
const DEEPEST_LEVEL = 100;

const isDateTime = Format.Get("date-time");
// Leap seconds and the year 0 are RFC 3339 too, but neither a JavaScript date nor PostgreSQL knows them.
Format.Set("date-time", (text) => {
  return isDateTime?.(text) === true && !Number.isNaN(Date.parse(text)) && !text.startsWith("0000");
});

/** Checks bodies as they are, and query strings after turning their texts into the types that the schema names. */
export const compileValidator: FastifySchemaCompiler<TSchema & { properties?: Record<string, TSchema> }> = ({
  schema,
  httpPart,
}) => {
  let compiled: Validator | undefined;
  const isBody = httpPart === "body";
  return (value: unknown) => {
    // With the first request: a start need not wait for every route's.
    const validator = (compiled ??= Compile(schema));
    // No body at all is an empty one: what is missing in it is then named.
    const input = isBody ? (value ?? {}) : Value.Default(schema, readQuery(schema.properties ?? {}, value));
    const issues = validator.Check(input) ? findUnstorable(input, "") : toIssues(validator.Errors(input));
    if (issues.length === 0) return { value: input };
    return { error: new AppError(isBody ? "invalid_body" : "invalid_query", { issues }) };
  };
};

/** Texts become numbers and booleans where the schema wants them; what is neither stays as it is and is refused. */
function readQuery(
  properties: Readonly<Record<string, TSchema & { type?: unknown }>>,
  query: unknown,
): unknown {
  if (typeof query !== "object" || query === null) return query;
  const entries = Object.entries(query).map(([name, value]: [string, unknown]) => {
    return [name, typeof value === "string" ? readText(value, properties[name]?.type) : value] as const;
  });
  return Object.fromEntries(entries);
}

function readText(text: string, type: unknown): unknown {
  const isNumeric = type === "integer" || type === "number";
  if (isNumeric && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

function findUnstorable(value: unknown, path: string, level = 0): Issue[] {
  if (typeof value === "string") {
    return isStorableText(value) ? [] : [{ path, message: "must be Unicode text without NUL" }];
  }
  if (typeof value !== "object" || value === null) return [];
  if (level > DEEPEST_LEVEL) return [{ path: "", message: "must not be nested this deeply" }];
  return Object.entries(value).flatMap(([name, each]) => {
    if (!isStorableText(name))
      return [{ path, message: "must have names that are Unicode text without NUL" }];
    return findUnstorable(each, path === "" ? name : `${path}.${name}`, level + 1);
  });
}

/** A check of path parameters; what does not pass names nothing. */
export function compileParams(schema: TSchema): (params: unknown) => boolean {
  let compiled: Validator | undefined;
  return (params) => (compiled ??= Compile(schema)).Check(params);
}

function toIssues(errors: readonly SchemaError[]): Issue[] {
  return errors.flatMap((error) => {
    const path = error.instancePath.slice(1).replaceAll("/", ".");
    // `false` as a schema: what no unknown field passes. `additionalProperties` tells of them once more, together.
    if (error.keyword === "boolean") return [{ path, message: "is not a known field" }];
    if (error.keyword === "additionalProperties") return [];
    if (error.keyword === "required") {
      const { requiredProperties } = error.params;
      return requiredProperties.map((name) => ({
        path: path === "" ? name : `${path}.${name}`,
        message: "is required",
      }));
    }
    if (error.keyword === "enum") {
      return [{ path, message: `must be one of ${error.params.allowedValues.map(String).join(", ")}` }];
    }
    return [{ path, message: error.message }];
  });
}
