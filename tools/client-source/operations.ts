/** Converts operations of an OpenAPI document to methods of a class. */
import { type Schema, componentOf, docComment, typeName, typeOf } from "./types.ts";

interface Parameter {
  $ref?: string;
  name: string;
  in: "path" | "query" | "header";
  description?: string;
  schema: Schema;
}

interface Content {
  content?: Record<string, { schema: Schema; "x-event-schema"?: Schema }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content & { description: string }>;
}

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";
const FORM_TYPE = "multipart/form-data";
const INDENT = "  ";

/** A method and the components in its signature. */
export function methodOf(verb: string, path: string, operation: Operation): string {
  const parameters = operation.parameters ?? [];
  const pathParameters = parameters.filter((each) => each.in === "path");
  const query = queryType(parameters.filter((each) => each.in === "query"));
  const body = operation.requestBody && bodyType(operation.requestBody);
  const answer = answerOf(operation);
  const isRepeatable = parameters.some((each) => each.$ref?.endsWith("/IdempotencyKey"));
  const signature = [
    ...pathParameters.map(({ name, schema }) => `${name}: ${typeOf(schema, "")}`),
    ...(body === undefined
      ? []
      : [`body: ${body}${operation.requestBody?.required === true ? "" : " = {}"}`]),
    ...(query === undefined ? [] : [`query: ${query} = {}`]),
    "options: RequestOptions = {}",
  ];
  const request = [
    `method: "${verb.toUpperCase()}"`,
    `path: path\`${path.replaceAll("{", "${")}\``,
    ...(body === undefined ? [] : [isForm(operation) ? "form: body" : "body"]),
    ...(query === undefined ? [] : ["query"]),
    `answer: "${answer.form}"`,
    ...(isRepeatable ? ["takesIdempotencyKey: true"] : []),
  ];
  const name = `${operation.operationId}(${signature.join(", ")})`;
  const sent = `({ ${request.join(", ")} }, options);`;
  return (
    docComment(methodDoc(operation, pathParameters), INDENT) +
    (answer.form === "events"
      ? `${INDENT}async *${name}: AsyncGenerator<${answer.type}> {\n${INDENT}${INDENT}yield* this.stream${sent}\n${INDENT}}\n`
      : `${INDENT}async ${name}: Promise<${answer.type}> {\n${INDENT}${INDENT}return await this.send${sent}\n${INDENT}}\n`)
  );
}

function methodDoc(operation: Operation, pathParameters: readonly Parameter[]): string[] {
  const codes = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([, { description }]) => description);
  return [
    `${operation.summary}.`,
    ...(operation.description === undefined ? [] : ["", operation.description]),
    "",
    ...pathParameters.map(({ name, description }) => `@param ${name} ${description ?? ""}`.trimEnd()),
    `@throws {ApiError} ${codes.join(", ")}`,
  ];
}

function queryType(parameters: readonly Parameter[]): string | undefined {
  if (parameters.length === 0) return undefined;
  const properties = parameters.map(({ name, description, schema }): [string, Schema] => [
    name,
    { ...schema, ...(description !== undefined && { description }) },
  ]);
  return typeOf({ type: "object", properties: Object.fromEntries(properties) }, INDENT);
}

function bodyType({ content }: Content): string {
  const schema = (content?.[JSON_TYPE] ?? content?.[FORM_TYPE])?.schema;
  if (schema === undefined) throw new Error("client generator: only JSON and multipart bodies are supported");
  return typeOf(schema, INDENT);
}

function isForm({ requestBody }: Operation): boolean {
  return requestBody?.content?.[FORM_TYPE] !== undefined;
}

interface Answer {
  type: string;
  /** The part of the response that the method returns: its field `data`, the whole object, bytes, or events as they come. */
  form: "data" | "object" | "bytes" | "events";
}

function answerOf({ operationId, responses }: Operation): Answer {
  const success = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1];
  if (success?.content === undefined)
    throw new Error(`client generator: ${operationId} has no successful response with content`);
  const event = success.content[STREAM_TYPE]?.["x-event-schema"];
  if (event !== undefined) return { type: typeOf(event, INDENT), form: "events" };
  const schema = success.content[JSON_TYPE]?.schema;
  if (schema === undefined) return { type: "Blob", form: "bytes" };
  const { properties = {} } = schema;
  const { data } = properties;
  if (data === undefined) return { type: typeOf(schema, INDENT), form: "object" };
  if (Object.keys(properties).length === 1) return { type: typeOf(data, INDENT), form: "data" };
  if (!("hasNextPage" in properties) || data.items === undefined) {
    throw new Error(`client generator: ${operationId} must return one object or a page`);
  }
  return { type: `Page<${typeOf(data.items, INDENT)}>`, form: "object" };
}

/** The components to which a part of the document refers directly. */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
    key === "$ref" && typeof each === "string" && each.startsWith("#/components/schemas/")
      ? [typeName(componentOf(each))]
      : referencesIn(each),
  );
}
