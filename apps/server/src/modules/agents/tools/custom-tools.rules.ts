import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type CustomTool,
  type CustomToolChange,
  type CustomToolCreation,
  customToolFields,
  mergeFields,
} from "@parley/contract";
import { DO_NOT_CALL_TOOL_NAME, END_CALL_TOOL_NAME, KEYPAD_TOOL_NAME } from "@parley/conversation";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { AppError, invalidBody } from "../../../platform/app-error.ts";
import { findHeaderProblem } from "./tool-headers.rules.ts";
import { isToolFunction, readToolFunction } from "./tool-function.rules.ts";
import { findBrokenPart } from "./tool-schema-parts.rules.ts";
import { findSchemaSizeProblem } from "./tool-schema-size.rules.ts";

const builtInNames: readonly string[] = [DO_NOT_CALL_TOOL_NAME, END_CALL_TOOL_NAME, KEYPAD_TOOL_NAME];

const MAX_TOOLS = 100;

/** Created with the first schema: Ajv compiles its meta-schemas first, which would delay the start. */
let draft7: Ajv | undefined;
let draft2020: Ajv2020 | undefined;

/** Throws `invalid_body`. */
export function addTool(
  tools: readonly CustomTool[],
  id: string,
  creation: CustomToolCreation,
  now: Date,
): CustomTool[] {
  if (tools.length >= MAX_TOOLS)
    throw invalidBody("", `cannot be added: an agent has at most ${MAX_TOOLS} tools`);
  requireSchemaSize(creation);
  requireHeaders(creation.headers ?? []);
  const at = now.toISOString();
  const fields = mergeFields(customToolFields, undefined, creation);
  const tool = { id, ...fields, createdAt: at, updatedAt: at };
  requireUsable(tool, tools);
  requireWholeSchema(tool);
  return [...tools, tool];
}

/** Tools of a new agent. Throws `invalid_body`. */
export function createTools(creations: readonly CustomToolCreation[], now: Date): CustomTool[] {
  let tools: CustomTool[] = [];
  for (const [index, creation] of creations.entries()) {
    try {
      tools = addTool(tools, randomUUID(), creation, now);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const issues = error.issues.map(({ path, message }) => ({
        path: `customTools.${index}.${path}`,
        message,
      }));
      throw new AppError(error.code, { issues });
    }
  }
  return tools;
}

/** Throws `not_found` and `invalid_body`. */
export function changeTool(
  tools: readonly CustomTool[],
  id: string,
  change: CustomToolChange,
  now: Date,
): CustomTool[] {
  requireSchemaSize(change);
  const before = findTool(tools, id);
  // Headers that an earlier release stored do not block changes of other fields.
  if (!isDeepStrictEqual(change.headers, before.headers)) requireHeaders(change.headers ?? []);
  const fields = mergeFields(customToolFields, before, change);
  const { createdAt } = before;
  const tool = { id, ...fields, createdAt, updatedAt: now.toISOString() };
  const others = tools.filter((each) => each !== before);
  requireUsable(tool, others);
  // As with headers.
  if (!isDeepStrictEqual(tool.schema, before.schema)) requireWholeSchema(tool);
  return tools.map((each) => (each === before ? tool : each));
}

/** Throws `not_found`. */
export function removeTool(tools: readonly CustomTool[], id: string): CustomTool[] {
  const removed = findTool(tools, id);
  return tools.filter((each) => each !== removed);
}

/** Throws `not_found`. */
export function findTool(tools: readonly CustomTool[], id: string): CustomTool {
  const tool = tools.find((each) => each.id === id);
  if (tool === undefined) throw new AppError("not_found");
  return tool;
}

/** Runs before any other use of the schema, which may be deeper than the call stack. */
function requireSchemaSize({ schema }: Pick<CustomToolChange, "schema">): void {
  if (schema === undefined) return;
  const problem = findSchemaSizeProblem(schema, readToolFunction(schema).parameters);
  if (problem !== undefined) throw invalidBody("schema", problem);
}

/** Rejects patterns and references that no check of arguments, and no language model, could follow. */
function requireWholeSchema({ schema }: CustomTool): void {
  const problem = findBrokenPart(readToolFunction(schema).parameters);
  if (problem !== undefined) throw invalidBody("schema", problem);
}

function requireHeaders(headers: readonly { key: string; value: string }[]): void {
  for (const [index, { key, value }] of headers.entries()) {
    const problem = findHeaderProblem(key, value);
    if (problem !== undefined) throw invalidBody(`headers.${index}.${problem.field}`, problem.message);
  }
}

function requireUsable(tool: CustomTool, others: readonly CustomTool[]): void {
  if (builtInNames.includes(tool.name)) throw invalidBody("name", "must not be the name of a built-in tool");
  if (others.some(({ name }) => name === tool.name)) {
    throw invalidBody("name", "must be unique among the agent's tools");
  }
  const urlProblem = findUrlProblem(tool.webhookUrl);
  if (urlProblem !== undefined) throw invalidBody("webhookUrl", urlProblem);
  if (!isToolFunction(tool.schema)) {
    throw invalidBody(
      "schema",
      'must be { description, parameters }, or that within { type: "function", function }',
    );
  }
  const problem = findSchemaProblem(readToolFunction(tool.schema).parameters);
  if (problem !== undefined) throw invalidBody("schema", problem);
}

function findUrlProblem(url: string): string | undefined {
  const [authority = ""] = /^https?:\/\/[^/?#]*/.exec(url) ?? [];
  if (/[{}]/.test(authority)) return "must not have variables in its host";
  if (authority.includes("@")) return "must not contain credentials: send them in a header";
  return URL.canParse(url.replaceAll(/\{\{[^{}]*\}\}/g, "x")) ? undefined : "must be a URL";
}

/** Validates as JSON Schema draft 7, which most tools use, unless `$schema` says 2020-12. */
function findSchemaProblem({ $schema, ...parameters }: Record<string, unknown>): string | undefined {
  if (parameters["type"] !== "object") return "must have parameters of type object";
  const isDraft2020 = typeof $schema === "string" && $schema.includes("2020-12");
  const ajv = isDraft2020
    ? (draft2020 ??= new Ajv2020({ strict: false }))
    : (draft7 ??= new Ajv({ strict: false }));
  if (ajv.validateSchema(parameters) === true) return undefined;
  const [error] = ajv.errors ?? [];
  return `must have parameters that are a valid JSON Schema: ${error?.instancePath ?? ""} ${error?.message ?? ""}`.trimEnd();
}
