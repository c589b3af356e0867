import assert from "node:assert/strict";
import test from "node:test";
import { errorSchema } from "@parley/contract";
import { Compile } from "typebox/compile";
import { assertRefused, document } from "./contract-conformance.ts";
import { createTestServer } from "./testing.ts";

const isError = Compile(errorSchema);

test("a body that is too large, or is not JSON, is rejected with its own error", async () => {
  const server = await createTestServer();
  const large = await server.request("POST", "/agents", {
    name: "A",
    promptTemplate: "x".repeat(1024 * 1024),
  });
  assert.equal(large.status, 413);
  assert.ok(isError.Check(large.body));
  const form = await server.app.inject({
    method: "POST",
    url: "/v1/agents",
    headers: { "x-api-key": server.apiKey, "content-type": "text/plain" },
    payload: "name=A",
  });
  assert.equal(form.statusCode, 415);
  assert.ok(isError.Check(form.json()));
  await server.close();
});

test("an unknown or malformed path answers in the common shape", async () => {
  const server = await createTestServer();
  for (const url of ["/v1/nothing", "/nothing", "/v1/agents/%zz", "/v1/agents/"]) {
    const response = await server.app.inject({ url, headers: { "x-api-key": server.apiKey } });
    assert.equal(response.statusCode, 404, url);
    assert.ok(isError.Check(response.json()));
  }
  await server.close();
});

test("an answer contains the request's id: the client's own if it is well-formed", async () => {
  const server = await createTestServer();
  const idFor = async (sent: string) =>
    (await server.app.inject({ url: "/v1/agents", headers: { "x-request-id": sent } })).headers[
      "x-request-id"
    ];
  assert.equal(await idFor("order-4711/a"), "order-4711/a");
  assert.match(String(await idFor("a b\tc")), /^[0-9a-f-]{36}$/);
  assert.match(String(await idFor("x".repeat(200))), /^[0-9a-f-]{36}$/);
  await server.close();
});

test("every answer says that no language model is configured, and none says so if one is", async () => {
  const url = "/v1/agents";
  const model = { PARLEY_LLM_BASE_URL: "http://127.0.0.1:9/v1", PARLEY_LLM_MODEL: "none" };
  for (const providerVariables of [{}, model]) {
    const server = await createTestServer({ providerVariables });
    const warningOf = async (headers: Record<string, string>, method: "GET" | "POST" = "GET") =>
      (await server.app.inject({ method, url, headers })).headers["x-parley-warning"];
    const own = { "x-api-key": server.apiKey };
    for (const warning of [await warningOf(own), await warningOf(own, "POST")])
      if (providerVariables !== model)
        assert.match(String(warning), /^No language model is configured.*OPENAI_API_KEY/);
      else assert.equal(warning, undefined);
    assert.equal(await warningOf({ "x-api-key": "wrong" }), undefined);
    await server.close();
  }
});

test("the document and the reference load nothing from other servers", async () => {
  const server = await createTestServer();
  const served = await server.app.inject("/openapi.json");
  assert.deepEqual(served.json(), document);
  const page = await server.app.inject("/reference/");
  assert.equal(page.statusCode, 200);
  assert.doesNotMatch(page.body, /(src|href)="(https?:)?\/\//);
  const [, script = ""] = /src="([^"]+)"/.exec(page.body) ?? [];
  const { statusCode, headers } = await server.app.inject(new URL(script, "http://x/reference/").pathname);
  assert.equal(statusCode, 200);
  assert.match(String(headers["content-type"]), /javascript/);
  await server.close();
});

test("text that the database cannot store is rejected with its path", async () => {
  const server = await createTestServer();
  const created = await server.request("POST", "/agents", { name: "Agent" });
  const { data }: { data: { id: string } } = JSON.parse(JSON.stringify(created.body));
  const agent = `/agents/${data.id}`;
  const bodies: Record<string, string> = {
    name: String.raw`{"name":"a\u0000"}`,
    firstMessage: String.raw`{"firstMessage":"\ud800"}`,
    "defaultVariables.who": String.raw`{"defaultVariables":{"who":"\u0000"}}`,
    "runtimeConfig.a\0": String.raw`{"runtimeConfig":{"a\u0000":1}}`,
    "id.steps": String.raw`{"id":{"steps":{"\udc00":{}}}}`,
    "": `{"id":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  };
  for (const [path, body] of Object.entries(bodies)) {
    assertRefused(await server.request("PATCH", agent, body), "invalid_body", path);
  }
  const queries = [
    "/agents?search=%00",
    "/calls?createdAfter=2026-02-20T23:59:60Z",
    "/calls?createdBefore=0000-01-01T00:00:00Z",
  ];
  for (const query of [...queries, "/agents?page=1.5", "/agents?page=1&page=2", "/agents?pageSize=101"]) {
    assertRefused(await server.request("GET", query), "invalid_query", /\?(\w+)/.exec(query)?.[1] ?? "");
  }
  await server.close();
});
