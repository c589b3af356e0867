/** Effects of unauthenticated clients on the HTTP server, on raw sockets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, type Socket, connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { waitFor } from "@parley/testing";
import { type TestServer, type TestServerOptions, createTestServer } from "../../modules/testing.ts";

async function listen(context: TestContext, options: TestServerOptions = {}) {
  const server = await createTestServer(options);
  context.after(async () => await server.close());
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const open = (): Socket => connect(port, "127.0.0.1").on("error", () => {});
  /** Sends one request exactly as given and returns the answer. */
  const exchange = async (head: string, headers: readonly string[] = []): Promise<string> => {
    const socket = open();
    socket.write(`${head} HTTP/1.1\r\nConnection: close\r\n${headers.join("\r\n")}\r\n\r\n`);
    return await text(socket);
  };
  return { server, open, exchange };
}

function statusOf(answer: string): string {
  return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? answer;
}

/** Counts the queries for keys that reach the database. */
function countLookups(context: TestContext, { database }: TestServer): () => number {
  const query = context.mock.method(database.$client, "query");
  return () =>
    query.mock.calls.filter(({ arguments: [asked] }) =>
      JSON.stringify(asked).includes('\\"api_keys\\".\\"hash\\" in'),
    ).length;
}

test("refusals of a flood are sent late, while other requests are answered, and do not delay the server's end", async (context) => {
  const { server } = await listen(context, { limits: { refusalPauseMs: 600_000 } });
  const statuses: number[] = [];
  const flood = Array.from({ length: 100 }, async () => {
    const headers = { "x-api-key": "parley_wrong" };
    statuses.push((await server.app.inject({ url: "/v1/agents", headers })).statusCode);
  });
  await waitFor("the answers that are not late", () => statuses.length >= 60);
  const valid = await server.app.inject({ url: "/v1/agents", headers: { "x-api-key": server.apiKey } });
  assert.equal(valid.statusCode, 200);
  assert.deepEqual(new Set(statuses), new Set([401]));
  await server.app.close();
  await Promise.all(flood);
  assert.ok(statuses.filter((status) => status === 429).length > 30);
});

test("a whole URI is reduced to its path and Host, and a malformed Host is rejected", async (context) => {
  const { exchange } = await listen(context);
  const host = "Host: parley.test";
  assert.equal(statusOf(await exchange("GET http://evil.test/openapi.json", [host])), "200");
  assert.equal(statusOf(await exchange("GET http://evil.test", [host])), "404");
  assert.equal(statusOf(await exchange("GET http:///openapi.json", [host])), "400");
  assert.equal(statusOf(await exchange("GET http://evil.test@x/openapi.json", [host])), "400");
  assert.equal(statusOf(await exchange("GET //evil.test/openapi.json", [host])), "404");
  for (const evil of ['a"onload=x', "a/b", "a b", "[::1", "a:123456"])
    assert.equal(statusOf(await exchange("GET /openapi.json", [`Host: ${evil}`])), "400", evil);
  for (const good of ["parley.test", "parley.test:8080", "10.0.0.1", "[2001:db8::1]:80"])
    assert.equal(statusOf(await exchange("GET /openapi.json", [`Host: ${good}`])), "200", good);
});

test("unknown keys get 429 by source, cost few queries, and lock out no valid key", async (context) => {
  const { server } = await listen(context);
  const lookups = countLookups(context, server);
  const ask = async (key: string) => {
    const { statusCode, headers } = await server.app.inject({
      url: "/v1/agents",
      headers: { "x-api-key": key },
    });
    return { status: statusCode, headers };
  };
  const guesses = Array.from({ length: 200 }, (_, index) => `parley_guess_${index}`);
  const answers = await Promise.all(guesses.map(ask));
  const limited = answers.filter(({ status }) => status === 429);
  assert.ok(limited.length > 100, `${limited.length} of 200 were limited`);
  for (const { headers } of limited) assert.match(String(headers["retry-after"]), /^[1-9]\d*$/);
  assert.ok(answers.every(({ status }) => status === 401 || status === 429));
  assert.ok(lookups() > 0 && lookups() < 100, `${lookups()} queries for 200 keys at once`);
  const before = lookups();
  await Promise.all(guesses.map(ask));
  assert.equal(lookups(), before, "a key that was unknown just now is not looked up");
  // A key that this node has not cached, from the same source.
  const { apiKey } = await server.createOrganization();
  assert.equal((await ask(apiKey)).status, 200);
});

test("wrong tokens of WHIP get 429 by source, without a query", async (context) => {
  const { server } = await listen(context);
  const query = context.mock.method(server.database.$client, "query");
  const url = "/rtc/calls/7e0f1a52-3c1f-4a5e-9d55-0d4f4bb7c001";
  const ask = async () =>
    await server.app.inject({ method: "POST", url, headers: { authorization: "Bearer x" } });
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  assert.ok(answers.every(({ statusCode }) => statusCode === 401 || statusCode === 429));
  assert.equal(answers.at(-1)?.statusCode, 429);
  assert.equal(query.mock.callCount(), 0);
});

test("a rejected request does not wait for its body, and the body is not read forever", async (context) => {
  const { open } = await listen(context, { limits: { headersMs: 300, requestMs: 300 } });
  const heads = [
    "POST /v1/agents",
    "POST /nowhere",
    "POST /rtc/calls/7e0f1a52-3c1f-4a5e-9d55-0d4f4bb7c001",
    "PUT /rtc/calls/7e0f1a52-3c1f-4a5e-9d55-0d4f4bb7c001",
  ];
  for (const head of heads) {
    const socket = open();
    socket.write(
      `${head} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.match(statusOf(answer.toString()), /^4(01|04|05)$/, head);
    // The rest is never sent: the deadline of the whole request ends the connection.
    socket.resume();
    await once(socket, "close");
  }
});

test("a header that arrives byte by byte times out", async (context) => {
  const { open } = await listen(context, { limits: { headersMs: 200, requestMs: 60_000 } });
  const socket = open();
  const dripping = setInterval(() => socket.write("x"), 20);
  socket.write("GET /openapi.json HTTP/1.1\r\nx: ");
  const answer = await text(socket);
  clearInterval(dripping);
  assert.equal(statusOf(answer), "408");
});

test("one source has a limited number of connections, and each that ends frees one", async (context) => {
  const { open, exchange } = await listen(context, { limits: { connectionsOfSource: 3 } });
  const held = [open(), open(), open()];
  await Promise.all(held.map(async (socket) => await once(socket, "connect")));
  const refused = open();
  let received = 0;
  refused.on("data", ({ length }: Buffer) => void (received += length));
  refused.write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise((resolve) => refused.once("close", resolve));
  assert.equal(received, 0);
  held[0]?.destroy();
  const isServed = async () =>
    statusOf(await exchange("GET /openapi.json", ["Host: x"]).catch(() => "")) === "200";
  await waitFor("the place of a connection that ended", isServed);
  for (const socket of held) socket.destroy();
});

test("a silent connection does not delay the server's end", async (context) => {
  const { server, open } = await listen(context, { limits: { closeMs: 600_000 } });
  const socket = open();
  await once(socket, "connect");
  await server.app.close();
  socket.resume();
  if (!socket.closed) await once(socket, "close");
});
