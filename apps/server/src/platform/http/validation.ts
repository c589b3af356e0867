import type { Issue } from "@parley/contract";
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Format } from "typebox/format";
import { Pointer, Value } from "typebox/value";
import { AppError } from "../app-error.ts";
import { isStorableText } from "../database/storable-text.ts";
import { narrowUnions } from "./union-members.ts";

type Validator = ReturnType<typeof Compile>;
type SchemaError = ReturnType<Validator["Errors"]>[number];

/** Deeper than any schema; only fields that accept any value could exceed it. */
const DEEPEST_LEVEL = 100;

const INEXACT_NUMBER =
  "must be a number between -9007199254740991 and 9007199254740991. Send larger numbers as text";

/** Pattern of texts that have a character other than white space. */
const NOT_BLANK = "\\S";

const isDateTime = Format.Get("date-time");
// RFC 3339 allows leap seconds and the year 0, but JavaScript dates and PostgreSQL do not.
Format.Set("date-time", (text) => {
  return isDateTime?.(text) === true && !Number.isNaN(Date.parse(text)) && !text.startsWith("0000");
});

/** Validates bodies as they are, and query strings after converting their texts to the schema's types. */
export const compileValidator: FastifySchemaCompiler<TSchema & { properties?: Record<string, TSchema> }> = ({
  schema,
  httpPart,
}) => {
  let compiled: Validator | undefined;
  const isBody = httpPart === "body";
  return (value: unknown) => {
    // Compiled at the first request, so that the start does not wait for all routes.
    const validator = (compiled ??= Compile(schema));
    // A missing body counts as an empty one, so that the error names the missing fields.
    const input = isBody ? (value ?? {}) : Value.Default(schema, readQuery(schema.properties ?? {}, value));
    const issues = validator.Check(input) ? findUnstorable(input, "") : findIssues(schema, input, validator);
    if (issues.length === 0) return { value: input };
    return { error: new AppError(isBody ? "invalid_body" : "invalid_query", { issues }) };
  };
};

/** The issues of an input that does not match. Of a union only those of the member that the input names. */
function findIssues(schema: TSchema, input: unknown, validator: Validator): Issue[] {
  const narrowed = narrowUnions(schema, input);
  return toIssues(narrowed, narrowed === schema ? validator.Errors(input) : Value.Errors(narrowed, input));
}

/**
 * Converts texts to numbers and booleans as the schema requires. Leaves other texts unchanged; validation rejects them.
 */
function readQuery(
  properties: Readonly<Record<string, TSchema & { type?: unknown }>>,
  query: unknown,
): unknown {
  if (typeof query !== "object" || query === null) return query;
  const entries = Object.entries(query).map(([name, value]: [string, unknown]) => {
    const type = properties[name]?.type;
    if (typeof value !== "string") return [name, value] as const;
    // A list with one value is not distinguishable from a single value.
    return [name, type === "array" ? [value] : readText(value, type)] as const;
  });
  return Object.fromEntries(entries);
}

function readText(text: string, type: unknown): unknown {
  const isNumeric = type === "integer" || type === "number";
  if (isNumeric && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

function findUnstorable(value: unknown, path: string, level = 0): Issue[] {
  if (typeof value === "number") return isExact(value) ? [] : [{ path, message: INEXACT_NUMBER }];
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

/** Whether a parsed number has kept its digits: JSON has numbers that no double has (RFC 7493 §2.2). */
function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Throws `invalid_query` if the query is not UTF-8 in percent-encoding: the framework reads it as other text then. */
export function requireReadableQuery(url: string): void {
  try {
    decodeURIComponent(url.slice(url.indexOf("?") + 1));
  } catch {
    throw new AppError("invalid_query", {
      issues: [{ path: "", message: "must be UTF-8 in percent-encoding" }],
    });
  }
}

/** Check of path parameters; parameters that fail it name no resource. */
export function compileParams(schema: TSchema): (params: unknown) => boolean {
  let compiled: Validator | undefined;
  return (params) => (compiled ??= Compile(schema)).Check(params);
}

function toIssues(schema: TSchema, errors: readonly SchemaError[]): Issue[] {
  return errors.flatMap((error) => {
    const path = error.instancePath.slice(1).replaceAll("/", ".");
    // The schema `false` rejects an unknown field. `additionalProperties` repeats all of them in one error.
    if (error.keyword === "boolean") return [{ path, message: explainUnknown(schema, error.schemaPath) }];
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
    if (error.keyword === "pattern" && error.params.pattern === NOT_BLANK)
      return [{ path, message: "must not be blank" }];
    return [{ path, message: error.message }];
  });
}

/** Explains why the object whose `additionalProperties` are at `schemaPath` rejects a field. */
function explainUnknown(schema: TSchema, schemaPath: string): string {
  const parent = schemaPath.slice(1).replace(/\/additionalProperties$/, "");
  const patterns: unknown = Pointer.Get(schema, `${parent}/patternProperties`);
  const [pattern] = Object.keys(patterns ?? {});
  return pattern === undefined ? "is not a known field" : `is not a valid name: names must match ${pattern}`;
}
