import assert from "node:assert/strict";
import { test } from "node:test";
import { type OpenApi, writeOperations, writeTypes } from "./client-source.ts";
import { typeOf } from "./types.ts";

const error = { type: "object", required: ["error"], properties: { error: { enum: ["not_found"] } } };

const document: OpenApi = {
  components: {
    schemas: {
      Error: error,
      Pet: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string", description: "Its id." } },
      },
    },
  },
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "getPet",
        summary: "Get a pet",
        parameters: [{ name: "id", in: "path", schema: { type: "string" } }],
        responses: {
          200: {
            description: "Success.",
            content: {
              "application/json": {
                schema: { type: "object", properties: { data: { $ref: "#/components/schemas/Pet" } } },
              },
            },
          },
          404: { description: "`not_found`" },
        },
      },
    },
  },
};

test("schemas become types", () => {
  const types: [object, string][] = [
    [{ type: ["integer", "null"] }, "number | null"],
    [{ type: ["string", "null"], enum: ["a", null] }, '"a" | null'],
    [{ const: true }, "true"],
    [{ type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
    [
      { type: "object", patternProperties: { "^a": { type: "string" } }, additionalProperties: false },
      "Record<string, string>",
    ],
    [{ type: "object", additionalProperties: true }, "Record<string, unknown>"],
    [{}, "unknown"],
    [{ anyOf: [{ $ref: "#/components/schemas/Error" }, { type: "null" }] }, "ErrorBody | null"],
    [
      { type: "object", required: ["a"], properties: { a: { type: "boolean" }, "b-c": {} } },
      '{\n  a: boolean;\n  "b-c"?: unknown;\n}',
    ],
  ];
  for (const [schema, type] of types) assert.equal(typeOf(schema, ""), type);
});

test("an unsupported schema is rejected", () => {
  const unusual: object = { oneOf: [] };
  assert.throws(() => typeOf(unusual, ""), /oneOf/);
  assert.throws(() => typeOf({ type: "tuple" }, ""), /tuple/);
});

test("components become declarations with their descriptions", () => {
  assert.match(
    writeTypes(document),
    /export interface Pet \{\n {2}\/\*\* Its id\. \*\/\n {2}id: string;\n\}/,
  );
});

test("an operation becomes a method that returns the data and documents its errors", () => {
  const text = writeOperations(document);
  assert.match(text, /@throws \{ApiError\} `not_found`/);
  assert.match(text, /async getPet\(id: string, options: RequestOptions = \{\}\): Promise<Pet> \{/);
  assert.match(text, /path: path`\/pets\/\$\{id\}`, answer: "data" \}, options\)/);
  assert.match(text, /import type \{\n {2}Pet,\n\} from/);
});

test("a multipart body becomes a form with its file", () => {
  const upload = structuredClone(document);
  const operation = upload.paths["/pets/{id}"]?.["get"];
  assert(operation !== undefined);
  const schema = {
    type: "object",
    required: ["name", "picture"],
    properties: { name: { type: "string" }, picture: { type: "string", format: "binary" } },
  };
  operation.requestBody = { required: true, content: { "multipart/form-data": { schema } } };
  const text = writeOperations(upload);
  assert.match(text, /picture: Blob;/);
  assert.match(text, /form: body,/);
});

test("an unsupported body is rejected", () => {
  const upload = structuredClone(document);
  const operation = upload.paths["/pets/{id}"]?.["get"];
  assert(operation !== undefined);
  operation.requestBody = { required: true, content: { "text/csv": { schema: {} } } };
  assert.throws(() => writeOperations(upload), /only JSON and multipart bodies/);
});
