/** Requirements of HTTP and JSON on every answer, tested on raw sockets. */
import assert from "node:assert/strict";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type TestServer, createTestServer } from "../../modules/testing.ts";

interface Answer {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: string;
}

async function listen(context: TestContext) {
  const server = await createTestServer();
  context.after(async () => await server.close());
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const exchange = async (...bytes: (string | Uint8Array)[]): Promise<Answer> => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    for (const part of bytes) socket.write(part);
    return read(await text(socket));
  };
  return { server, exchange };
}

function read(answer: string): Answer {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.split(":")[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */, "")]),
  );
  return { status: Number(first.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}

/** Asserts the status and code of an error, and that it is in the envelope with a request id. */
function assertError(
  { status, headers, body }: Answer,
  expected: readonly [number, string],
  what?: string,
): void {
  const { error, message, ...more } = JSON.parse(body) as Record<string, unknown>;
  assert.deepEqual([status, error], expected, what);
  assert.equal(typeof message, "string");
  assert.deepEqual(
    Object.keys(more).filter((name) => name !== "details"),
    [],
  );
  assert.match(headers.get("x-request-id") ?? "", /^[\w.:/+=-]+$/, what);
  assert.equal(headers.get("cache-control"), "no-store", what);
}

/** Creates a folder with exactly these bytes as the body. */
async function post(
  { apiKey }: TestServer,
  exchange: (...bytes: (string | Uint8Array)[]) => Promise<Answer>,
  body: string | Uint8Array,
  headers: readonly string[] = ["Content-Type: application/json"],
): Promise<Answer> {
  const bytes = Buffer.from(body);
  const head = [
    "POST /v1/folders HTTP/1.1",
    "Host: x",
    "Connection: close",
    `x-api-key: ${apiKey}`,
    ...headers,
  ];
  return await exchange(`${head.join("\r\n")}\r\nContent-Length: ${bytes.length}\r\n\r\n`, bytes);
}

test("a body that is not UTF-8, or declares another charset or a coding, is rejected", async (context) => {
  const { server, exchange } = await listen(context);
  const latin1 = Buffer.from('{"name":"Caf\u00e9"}', "latin1");
  assertError(await post(server, exchange, latin1), [400, "invalid_body"]);
  assertError(await post(server, exchange, Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), [
    400,
    "invalid_body",
  ]);
  const typed = (charset: string) => [`Content-Type: application/json; charset=${charset}`];
  for (const charset of ["iso-8859-1", "utf-16", '"windows-1252"'])
    assertError(
      await post(server, exchange, latin1, typed(charset)),
      [415, "unsupported_media_type"],
      charset,
    );
  const good = '{"name":"Caf\u00e9 1"}';
  for (const charset of ["utf-8", "UTF-8", '"utf-8"']) {
    const { status, body } = await post(
      server,
      exchange,
      good.replace("1", charset.replaceAll('"', "'")),
      typed(charset),
    );
    assert.equal(status, 201, body);
    assert.match(body, /Caf\u00e9/);
  }
  for (const coding of ["gzip", "br", "deflate", "gzip, identity"]) {
    const headers = ["Content-Type: application/json", `Content-Encoding: ${coding}`];
    const answer = await post(server, exchange, gzipSync(good), headers);
    assertError(answer, [415, "unsupported_media_type"], coding);
    assert.equal(answer.headers.get("accept-encoding"), "identity");
  }
});

test("a query that is not UTF-8 in percent-encoding is rejected, after the credential is checked", async (context) => {
  const { server, exchange } = await listen(context);
  const get = (target: string, apiKey: string) =>
    exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-api-key: ${apiKey}\r\n\r\n`);
  for (const search of ["%ff", "%zz", "%", "%c3%28"]) {
    assertError(await get(`/v1/agents?search=${search}`, server.apiKey), [400, "invalid_query"], search);
    assertError(await get(`/v1/agents?search=${search}`, "wrong"), [401, "unauthorized"], search);
  }
  assert.equal((await get("/v1/agents?search=%c3%bc+%25?", server.apiKey)).status, 200);
});

test("a rejected body is explained: what is wrong, and where", async (context) => {
  const { server, exchange } = await listen(context);
  for (const [body, path, message] of [
    ['{"name":"x",}', "", /^must be valid JSON: .*position 12/],
    ['{"name":"x","__proto__":{}}', "", /^must not contain the name __proto__/],
    ['{"name":"x","constructor":{"prototype":{}}}', "", /constructor with prototype/],
    ['{"name":" "}', "name", /^must not be blank$/],
    ['{"name":"x","colour":1}', "colour", /^is not a known field$/],
  ] as const) {
    const answer = await post(server, exchange, body);
    assertError(answer, [400, "invalid_body"], body);
    const { details } = JSON.parse(answer.body) as {
      details: { issues: { path: string; message: string }[] };
    };
    const [issue] = details.issues;
    assert.equal(issue?.path, path, body);
    assert.match(issue?.message ?? "", message, body);
  }
  const named = await server.request("POST", "/agents", { name: "x", defaultVariables: { "two words": 1 } });
  assert.match(
    JSON.stringify(named.body),
    /defaultVariables\.two words.*is not a valid name: names must match/,
  );
});

test("a number that no double holds exactly is rejected, at any depth", async (context) => {
  const { request } = await createTestServerFor(context);
  const agent = (await request("POST", "/agents", { name: "Ada" })).body as { data: { id: string } };
  const create = async (number: string) =>
    await request(
      "POST",
      `/agents/${agent.data.id}/custom-tools`,
      `{"name":"t${number.replaceAll(/\W/g, "_").slice(0, 40)}","webhookUrl":"https://x.example","schema":{"description":"x","parameters":{"type":"object","properties":{"n":{"type":"number","maximum":${number}}}}}}`,
    );
  for (const number of ["1e400", "-1e400", "9007199254740993", "12345678901234567890", "1".repeat(400)]) {
    const { status, body } = await create(number);
    assert.equal(status, 400, number);
    const { details } = body as { details: { issues: { path: string; message: string }[] } };
    assert.equal(details.issues[0]?.path, "schema.parameters.properties.n.maximum");
    assert.match(details.issues[0].message, /Send larger numbers as text/);
  }
  for (const number of ["9007199254740991", "-9007199254740991", "0.1", "1e-400"])
    assert.equal((await create(number)).status, 201, number);
});

async function createTestServerFor(context: TestContext): Promise<TestServer> {
  const server = await createTestServer();
  context.after(async () => await server.close());
  return server;
}

test("an id of any length is not found, after the credential is checked", async (context) => {
  const { request } = await createTestServerFor(context);
  for (const length of [37, 101, 1_000, 10_000]) {
    const id = "a".repeat(length);
    const { status, headers, body } = await request("GET", `/calls/${id}`);
    assert.deepEqual(
      [status, body],
      [404, { error: "not_found", message: "Resource not found." }],
      String(length),
    );
    assert.ok(headers["x-request-id"]);
    assert.equal((await request("GET", `/calls/${id}`, undefined, null)).status, 401);
  }
});

test("malformed HTTP and oversized headers are answered in the envelope, with a request id", async (context) => {
  const { exchange } = await listen(context);
  assertError(await exchange("GET / HTTP/1.1\r\nbad header\r\n\r\n"), [400, "invalid_query"]);
  assertError(await exchange("\u0016\u0003\u0001 not HTTP\r\n\r\n"), [400, "invalid_query"]);
  assertError(await exchange("GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), [
    404,
    "not_found",
  ]);
  const long = "x".repeat(20_000);
  assertError(await exchange(`GET / HTTP/1.1\r\nHost: x\r\nx-long: ${long}\r\n\r\n`), [
    431,
    "headers_too_large",
  ]);
  assertError(await exchange(`GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`), [431, "headers_too_large"]);
  const chunked = "POST /v1/folders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
  assertError(await exchange(chunked), [400, "invalid_query"]);
});

test("a request without a host, or with an unknown expectation, is answered in the envelope", async (context) => {
  const { exchange } = await listen(context);
  const get = (version: string, header: string) =>
    exchange(`GET /v1/agents HTTP/${version}\r\n${header}Connection: close\r\n\r\n`);
  assertError(await get("1.1", ""), [400, "invalid_query"]);
  // HTTP/1.0 has no Host header.
  assertError(await get("1.0", ""), [401, "unauthorized"]);
  assertError(await get("1.1", "Host: x\r\nExpect: more\r\n"), [401, "unauthorized"]);
});

test("a method that a path does not support is answered with 405 and those that it does", async (context) => {
  const { request, app } = await createTestServerFor(context);
  const folder = "/folders/7e0f1a52-3c1f-4a5e-9d55-0d4f4bb7c001";
  for (const [method, url, allowed] of [
    ["DELETE", "/agents", "GET, HEAD, POST"],
    ["PUT", folder, "DELETE, GET, HEAD, PATCH"],
    ["GET", "/calls/x/instructions", "POST"],
    ["PATCH", "/webhooks/signing-secret", "DELETE, GET, HEAD, POST"],
  ] as const) {
    const { status, headers, body } = await request(method, url);
    assert.deepEqual(
      [status, headers["allow"], (body as { error: string }).error],
      [405, allowed, "method_not_allowed"],
      `${method} ${url}`,
    );
  }
  assert.equal((await request("GET", "/nothing")).status, 404);
  assert.equal((await request("GET", "/agents/")).status, 404);
  const options = await app.inject({ method: "OPTIONS", url: "/openapi.json" });
  assert.deepEqual([options.statusCode, options.headers.allow], [405, "GET, HEAD"]);
});

test("401 has a challenge, and no answer of the API is stored by a cache", async (context) => {
  const { request } = await createTestServerFor(context);
  for (const key of [null, "parley_wrong"]) {
    const { status, headers } = await request("GET", "/agents", undefined, key);
    assert.deepEqual(
      [status, headers["www-authenticate"]],
      [401, 'ApiKey realm="Parley", header="x-api-key"'],
    );
  }
  for (const [method, url, body] of [
    ["POST", "/api-keys", { name: "CRM" }],
    ["POST", "/webhooks/signing-secret", {}],
    ["GET", "/agents", undefined],
  ] as const)
    assert.equal((await request(method, url, body)).headers["cache-control"], "no-store", url);
});
