import type { Issue } from "@parley/contract";
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import { AppError } from "../app-error.ts";

type SchemaError = ReturnType<ReturnType<typeof Compile>["Errors"]>[number];

/** Checks bodies as they are, and query strings after turning their texts into the types that the schema names. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema);
  if (httpPart === "body") {
    return (value) => {
      // No body at all is an empty one: what is missing in it is then named.
      const body: unknown = value ?? {};
      if (validator.Check(body)) return { value: body };
      return { error: new AppError("invalid_body", { issues: toIssues(validator.Errors(body)) }) };
    };
  }
  return (value) => {
    const query = Value.Default(schema, Value.Convert(schema, value));
    if (validator.Check(query)) return { value: query };
    return { error: new AppError("invalid_query", { issues: toIssues(validator.Errors(query)) }) };
  };
};

/** A check of path parameters; what does not pass names nothing. */
export function compileParams(schema: TSchema): (params: unknown) => boolean {
  const validator = Compile(schema);
  return (params) => validator.Check(params);
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
