import assert from "node:assert/strict";
import test from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Value } from "typebox/value";
import { contactOutcomes } from "./campaigns/campaign-contacts.ts";
import { errorCodes } from "./errors.ts";
import { buildOpenApi } from "./openapi.ts";
import { errorsOf } from "./route.ts";
import { routes, tags } from "./routes.ts";
import { builtInVariables } from "./schemas.ts";

test("the document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(buildOpenApi()));
  assert.equal(valid, true, JSON.stringify(errors));
  assert.equal(validator.version, "3.1");
});

test("every operation has a name of its own and a tag that is described", () => {
  const names = routes.map((route) => route.operationId);
  assert.equal(new Set(names).size, names.length);
  for (const { tag } of routes) assert.ok(tag in tags, tag);
});

test("every reference in the document leads somewhere", () => {
  const document = JSON.stringify(buildOpenApi());
  const parsed: { components: Record<string, object> } = JSON.parse(document);
  for (const [, kind = "", name = ""] of document.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
    assert.ok(name in (parsed.components[kind] ?? {}), `${kind}/${name}`);
  }
});

test("every operation with an id in its path can answer 404, and every one that takes a body 400, 413 and 415", () => {
  for (const route of routes) {
    const statuses = new Set(errorsOf(route).map((code): number => errorCodes[code].status));
    assert.ok(statuses.has(401), route.operationId);
    assert.equal(statuses.has(404), route.path.includes("{"), route.operationId);
    if (route.body !== undefined) for (const status of [400, 413, 415]) assert.ok(statuses.has(status));
  }
});

test("the document describes what a tool and a webhook receive, and the built-in variables", () => {
  const { info, components } = JSON.parse(JSON.stringify(buildOpenApi()));
  for (const name of Object.keys(builtInVariables)) assert.ok(info.description.includes(`\`${name}\``), name);
  const { required, properties } = components.schemas.ToolRequest;
  assert.deepEqual(required, Object.keys(properties));
  const { sendRawRequestBody, webhookUrl } = components.schemas.CustomTool.properties;
  for (const name of ["X-Parley-Call-Id", "X-Parley-Tool-Call-Id"])
    assert.ok(webhookUrl.description.includes(`\`${name}\``), name);
  for (const name of required) assert.ok(sendRawRequestBody.description.includes(`\`${name}\``), name);
  assert.ok("analysisStatus" in components.schemas.CallPostEvent.properties.data.properties);
});

test("no request body has a default, which generators of clients turn into a required field", () => {
  const { paths, components } = JSON.parse(JSON.stringify(buildOpenApi()));
  const visited = new Set<unknown>();
  const findDefaults = (schema: unknown, path: string): string[] => {
    if (typeof schema !== "object" || schema === null || visited.has(schema)) return [];
    visited.add(schema);
    const { $ref: reference, examples: _examples, ...rest }: Record<string, unknown> = { ...schema };
    const own = "type" in rest && "default" in rest ? [path] : [];
    const target =
      typeof reference === "string" ? components.schemas[reference.split("/").at(-1) ?? ""] : undefined;
    return [
      ...own,
      ...findDefaults(target, path),
      ...Object.entries(rest).flatMap(([name, each]) => findDefaults(each, `${path}.${name}`)),
    ];
  };
  const bodies = Object.values<Record<string, { operationId: string; requestBody?: { content: object } }>>(
    paths,
  )
    .flatMap((item) => Object.values(item))
    .filter(({ requestBody }) => requestBody !== undefined);
  assert.ok(bodies.length > 10);
  const defaults = bodies.flatMap(({ operationId, requestBody }) => {
    return Object.values<{ schema: object }>(JSON.parse(JSON.stringify(requestBody)).content).flatMap(
      ({ schema }) => findDefaults(schema, operationId),
    );
  });
  assert.deepEqual(defaults, []);
});

test("every request body has a short example that its schema accepts", () => {
  const { paths } = JSON.parse(JSON.stringify(buildOpenApi()));
  for (const { method, path, body, file, operationId } of routes) {
    if (body === undefined || file !== undefined) continue;
    const { requestBody } = paths[path][method.toLowerCase()];
    const { example }: { example: object } = requestBody.content["application/json"];
    assert.ok(Value.Check(body, example), `${operationId} ${JSON.stringify(example)}`);
    assert.ok(Object.keys(example).length <= 3, operationId);
    if (method === "PATCH") assert.equal(Object.keys(example).length, 1, operationId);
  }
});

test("fields are camelCase, times are date-times and ids of resources are UUIDs", () => {
  const { components, paths } = JSON.parse(JSON.stringify(buildOpenApi()));
  // Campaigns count contacts by their outcome.
  const exceptions = new Set<string>(["to_number", ...contactOutcomes]);
  let fields = 0;
  const check = (value: unknown, where: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, each] of Object.entries(value)) check(each, `${where}/${name}`);
    if (!("properties" in value) || typeof value.properties !== "object" || value.properties === null) return;
    for (const [name, schema] of Object.entries(value.properties)) {
      fields++;
      assert.match(name, exceptions.has(name) ? /^/ : /^[a-z][A-Za-z0-9]*$/, `${where}/${name}`);
      const isRead = schema.type !== undefined && schema.description?.startsWith("Read-only") !== true;
      if (/[a-z]At$/.test(name) && isRead) assert.equal(schema.format, "date-time", `${where}/${name}`);
      if (/^(agent|conversation|phoneNumber|sipTrunk|folder)Id$/.test(name))
        assert.equal(schema.format, "uuid", `${where}/${name}`);
    }
  };
  check({ components: components.schemas, paths }, "");
  assert.ok(fields > 300);
});
