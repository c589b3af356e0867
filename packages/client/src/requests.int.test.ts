import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "node:test";
import { ApiError, ConnectionError, Parley, paginate } from "./index.ts";

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Ends the connection instead. */
  isCut?: boolean;
  /** Never responds. */
  isSilent?: boolean;
}

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that gives these answers in order and repeats the last one. */
async function serve(...answers: readonly Answer[]): Promise<{ parley: Parley; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const answer = answers[Math.min(received.length, answers.length) - 1];
      if (answer === undefined || answer.isSilent === true) return;
      if (answer.isCut === true) return void request.socket.destroy();
      response.writeHead(answer.status, answer.headers);
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { parley: new Parley({ baseUrl: `http://127.0.0.1:${port}/v1/`, apiKey: "key" }), received };
}

const busy: Answer = {
  status: 429,
  headers: { "retry-after": "0" },
  body: { error: "rate_limited", message: "" },
};

test("a method sends the operation's parameters and returns the data of the response", async () => {
  const { parley, received } = await serve({ status: 201, body: { data: { id: "a", name: "Reception" } } });
  const agent = await parley.createAgent({ name: "Reception" }, { idempotencyKey: "order-1" });
  assert.equal(agent.name, "Reception");
  const [request] = received;
  assert.equal(request?.method, "POST");
  assert.equal(request?.url, "/v1/agents");
  assert.equal(request?.headers["x-api-key"], "key");
  assert.equal(request?.headers["idempotency-key"], "order-1");
  assert.deepEqual(JSON.parse(request?.body ?? ""), { name: "Reception" });
});

test("ids are encoded in the path, and a query omits unset parameters", async () => {
  const { parley, received } = await serve({ status: 200, body: { data: {} } });
  await parley.getAgent("../calls?x=1");
  assert.equal(received[0]?.url, "/v1/agents/..%2Fcalls%3Fx%3D1");
  await parley.listCalls({ channel: "web", page: 2 });
  assert.equal(received[1]?.url, "/v1/calls?channel=web&page=2");
});

test("a rejected request throws an error with code, status, request id and issues", async () => {
  const issues = [{ path: "voiceSpeed", message: "must be <= 2" }];
  const { parley } = await serve({
    status: 400,
    headers: { "x-request-id": "r1" },
    body: { error: "invalid_body", message: "The request body is not valid.", details: { issues } },
  });
  await assert.rejects(parley.createAgent({ name: "Reception" }), (error) => {
    assert(error instanceof ApiError);
    assert.equal(error.code, "invalid_body");
    assert.equal(error.status, 400);
    assert.equal(error.requestId, "r1");
    assert.deepEqual(error.issues, issues);
    assert.match(error.message, /voiceSpeed: must be <= 2/);
    return true;
  });
});

test("a response in another format is distinct from a rejection", async () => {
  const { parley } = await serve({ status: 502, body: "<h1>Bad Gateway</h1>" });
  await assert.rejects(parley.getAgent("a"), { name: "ApiError", code: "unexpected_answer", status: 502 });
  const { parley: other } = await serve({ status: 200, body: "<h1>Welcome</h1>" });
  await assert.rejects(other.getAgent("a"), { name: "ApiError", code: "unexpected_answer", status: 200 });
});

test("a request to a busy server is repeated", async () => {
  const { parley, received } = await serve(busy, busy, { status: 200, body: { data: { id: "a" } } });
  assert.equal((await parley.getAgent("a")).id, "a");
  assert.equal(received.length, 3);
});

test("a POST is repeated with the same key", async () => {
  const { parley, received } = await serve({ status: 0, isCut: true }, { status: 201, body: { data: {} } });
  await parley.createFolder({ name: "Sales" });
  const keys = received.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 2);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.equal(keys[0], keys[1]);
});

test("a request that is not idempotent is not repeated", async () => {
  const { parley, received } = await serve(busy);
  await assert.rejects(parley.updateAgent("a", { name: "Desk" }), { code: "rate_limited", retryAfterMs: 0 });
  assert.equal(received.length, 1);
});

test("a permanent error is not retried", async () => {
  const { parley, received } = await serve({ status: 404, body: { error: "not_found", message: "" } });
  await assert.rejects(parley.getAgent("a"), { code: "not_found" });
  assert.equal(received.length, 1);
});

test("a timeout is a separate error", async () => {
  const { parley } = await serve({ status: 0, isSilent: true });
  await assert.rejects(parley.getAgent("a", { timeoutMs: 20, maxRetries: 0 }), (error) => {
    return error instanceof ConnectionError && error.reason === "timeout";
  });
});

test("an aborted request rejects with the reason, also while it waits for a retry", async () => {
  const waits: Answer = { ...busy, headers: { "retry-after": "20" } };
  const { parley, received } = await serve(waits);
  const abort = new AbortController();
  const request = parley.getAgent("a", { signal: abort.signal });
  while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort(new Error("closed the page"));
  await assert.rejects(request, { message: "closed the page" });
});

test("a list is walked page by page", async () => {
  const page = (ids: string[], hasNextPage: boolean): Answer => ({
    status: 200,
    body: { data: ids.map((id) => ({ id })), page: 1, pageSize: 2, total: 3, hasNextPage },
  });
  const { parley, received } = await serve(page(["a", "b"], true), page(["c"], false));
  const ids: string[] = [];
  for await (const { id } of paginate((each) => parley.listFolders(each), 2)) ids.push(id);
  assert.deepEqual(ids, ["a", "b", "c"]);
  assert.deepEqual(
    received.map(({ url }) => url),
    ["/v1/folders?page=1&pageSize=2", "/v1/folders?page=2&pageSize=2"],
  );
});

test("a response that is not JSON is returned as bytes", async () => {
  const { parley } = await serve({ status: 200, body: "pcap" });
  assert.equal(await (await parley.getCallTracePcap("a")).text(), "pcap");
});
