import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import { text } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import { toolRequestSchema } from "@parley/contract";
import { Compile } from "typebox/compile";
import { OutboundClient } from "../platform/outbound-http/outbound-client.ts";
import {
  createWebhookTool,
  type MessageToSign,
  type SignRequest,
  type ToolConversation,
  type WebhookTool,
} from "./webhook-tool.ts";

interface Request {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const conversation: ToolConversation = {
  callId: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11",
  conversationId: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c12",
  agentId: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c13",
  environment: null,
  channel: "phone",
  fromNumber: "+14155550100",
  toNumber: "+14155550123",
  isTest: false,
  variables: { shop: "north" },
};

/** Starts a server that answers with `answer`, and creates a tool that calls it. */
async function open(t: TestContext, answer: (response: ServerResponse) => void, isPrivateAllowed = true) {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      answer(response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new OutboundClient({ isPrivateAllowed });
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const base: WebhookTool = {
    id: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c14",
    name: "look_up",
    description: "Looks something up.",
    inputSchema: { type: "object", properties: { number: { type: "string" } } },
    isAsync: false,
    method: "POST",
    url: `http://127.0.0.1:${address.port}/orders`,
    headers: [],
    queryParams: [],
    isRawBody: false,
  };
  const call = async (
    input: unknown,
    { isTest = false, ...more }: Partial<WebhookTool> & { isTest?: boolean } = {},
    signal = new AbortController().signal,
    sign: SignRequest = async () => ({}),
  ): Promise<unknown> =>
    await createWebhookTool({ ...base, ...more }, { ...conversation, isTest }, client, sign).execute(input, {
      toolCallId: "call_1",
      signal,
    });
  return { requests, call, url: base.url };
}

test("the signature covers exactly the sent body, or method, path and query, and no header replaces it", async (t) => {
  const { requests, call } = await open(t, answerOk);
  const signed: MessageToSign[] = [];
  const sign: SignRequest = async (message) => {
    signed.push(message);
    return { "webhook-id": message.id, "webhook-signature": "v1,ours" };
  };
  const headers = [{ key: "Webhook-Signature", value: "theirs" }];
  const { signal } = new AbortController();
  await call({ number: "7" }, { headers }, signal, sign);
  await call({ number: "7" }, { isRawBody: true }, signal, sign);
  await call({ number: "7" }, { method: "GET" }, signal, sign);
  assert.deepEqual(
    requests.map(({ body, headers: { "x-parley-signed-content": content } }) =>
      content === undefined ? body : Buffer.from(String(content), "base64url").toString(),
    ),
    signed.map(({ body }) => body),
  );
  assert.deepEqual(JSON.parse(signed[2]?.body ?? ""), { method: "GET", path: "/orders", query: "number=7" });
  assert.equal(new Set(requests.map((request) => request.headers["webhook-id"])).size, 3);
  for (const request of requests) assert.equal(request.headers["webhook-signature"], "v1,ours");
});

const answerOk = (response: ServerResponse): void => void response.end("ok");

test("the body contains tool, call and arguments", async (t) => {
  const { requests, call } = await open(t, answerOk);
  assert.equal(await call({ number: "7" }), "ok");
  const [request] = requests;
  assert.equal(request?.method, "POST");
  assert.equal(request.headers["content-type"], "application/json");
  assert.ok(Compile(toolRequestSchema).Check(JSON.parse(request.body)));
  assert.deepEqual(JSON.parse(request.body), {
    tool: { id: "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c14", name: "look_up" },
    toolCallId: "call_1",
    ...conversation,
    arguments: { number: "7" },
  });
});

test("every request has the ids of the call and the tool call in headers, which no tool replaces", async (t) => {
  const { requests, call } = await open(t, answerOk);
  const headers = [{ key: "X-Parley-Call-Id", value: "theirs" }];
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const)
    await call({ number: "7" }, { method, headers, isRawBody: method === "PUT" });
  for (const { method, headers: sent } of requests) {
    const ids = [sent["x-parley-call-id"], sent["x-parley-tool-call-id"], sent["x-parley-test"]];
    assert.deepEqual(ids, [conversation.callId, "call_1", undefined], method);
  }
});

test("every request of a test has a header that says so, and its body as well", async (t) => {
  const { requests, call } = await open(t, answerOk);
  for (const method of ["GET", "POST", "PUT"] as const)
    await call({ number: "7" }, { method, isRawBody: method === "PUT", isTest: true });
  for (const { method, headers } of requests) assert.equal(headers["x-parley-test"], "true", method);
  assert.equal(JSON.parse(requests[1]?.body ?? "").isTest, true);
});

test("a DELETE has a body like a POST", async (t) => {
  const { requests, call } = await open(t, answerOk);
  await call({ number: "7" }, { method: "DELETE" });
  const [request] = requests;
  assert.deepEqual([request?.method, request?.url], ["DELETE", "/orders"]);
  assert.deepEqual(JSON.parse(request?.body ?? "").arguments, { number: "7" });
});

test("a raw body consists only of the arguments", async (t) => {
  const { requests, call } = await open(t, answerOk);
  await call({ number: "7" }, { isRawBody: true, method: "PATCH" });
  assert.deepEqual([requests[0]?.method, requests[0]?.body], ["PATCH", '{"number":"7"}']);
});

test("the arguments of a GET are sent in the query and do not replace the tool's own parameters", async (t) => {
  const { requests, call, url } = await open(t, answerOk);
  const queryParams = [
    { key: "tag", value: "a b" },
    { key: "tag", value: "&" },
    { key: "secret", value: "s" },
  ];
  await call(
    { number: "7", deep: { x: [1] }, secret: "mine", version: "9" },
    { method: "GET", queryParams, url: `${url}?version=1` },
  );
  const [request] = requests;
  const query = new URL(request?.url ?? "", "http://x").searchParams;
  assert.deepEqual(
    [...query],
    [
      ["version", "1"],
      ["tag", "a b"],
      ["tag", "&"],
      ["secret", "s"],
      ["number", "7"],
      ["deep", '{"x":[1]}'],
    ],
  );
  assert.deepEqual(
    [request?.method, request?.body, request?.headers["content-type"]],
    ["GET", "", undefined],
  );
});

test("headers are sent as configured, regardless of the variables in them", async (t) => {
  const { requests, call } = await open(t, answerOk);
  const headers = [
    { key: "Authorization", value: "Bearer x" },
    { key: "X-Name", value: "Zoë\r\nX-Evil: 1" },
    { key: "X-Tag", value: "a" },
    { key: "x-tag", value: "b" },
    { key: "Content-Type", value: "application/vnd.shop+json" },
  ];
  await call({}, { headers });
  const sent = requests[0]?.headers ?? {};
  assert.equal(sent.authorization, "Bearer x");
  assert.equal(sent["x-evil"], undefined);
  assert.equal(Buffer.from(String(sent["x-name"]), "latin1").toString(), "Zoë X-Evil: 1");
  assert.equal(sent["x-tag"], "a, b");
  assert.equal(sent["content-type"], "application/vnd.shop+json");
});

test("arguments of another shape are rejected before anything is sent", async (t) => {
  const { requests, call } = await open(t, answerOk);
  await assert.rejects(call({ number: 7 }), { message: /invalid arguments: number / });
  await assert.rejects(call([]), { message: /must be an object/ });
  assert.equal(requests.length, 0);
});

test("JSON and text are returned unchanged, an empty answer as nothing", async (t) => {
  const answers = ['{"color":"blue"}', "blue", ""];
  const { call } = await open(t, (response) => response.end(answers.shift()));
  assert.equal(await call({}), '{"color":"blue"}');
  assert.equal(await call({}), "blue");
  assert.equal(await call({}), undefined);
});

test("text is decoded by its character set, and binary content is a failure", async (t) => {
  const latin = await open(t, (response) => {
    response.setHeader("content-type", "text/plain; charset=iso-8859-1");
    response.end(Buffer.from("Zoë", "latin1"));
  });
  assert.equal(await latin.call({}), "Zoë");
  const image = await open(t, (response) => response.end(Buffer.from([0x89, 0x50, 0xff, 0xfe])));
  await assert.rejects(image.call({}), { message: /neither JSON nor text/ });
});

test("an answer that is too long is cut with a note", async (t) => {
  const { call } = await open(t, (response) => response.end("ü".repeat(700_000)));
  const answer = String(await call({}));
  assert.ok(answer.startsWith("üüü") && answer.length < 101_000);
  assert.match(answer, /longer/);
});

test("an error status or a redirect is a failure with status and reason", async (t) => {
  const { call, requests } = await open(t, (response) => {
    response.writeHead(requests.length === 1 ? 422 : 302, { location: "/elsewhere" });
    response.end(requests.length === 1 ? '{"error":"no such order"}' : "");
  });
  await assert.rejects(call({}), { message: 'HTTP status 422: {"error":"no such order"}' });
  await assert.rejects(call({}), { message: "HTTP status 302" });
  assert.equal(requests.length, 2);
});

test("a private address is rejected unless the operator allows it", async (t) => {
  const { call, requests } = await open(t, answerOk, false);
  await assert.rejects(call({}), { kind: "refused_address" });
  assert.equal(requests.length, 0);
});

test("the end of the call aborts a request that hangs", async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const { call } = await open(t, () => resolve());
  const controller = new AbortController();
  const calling = call({}, {}, controller.signal);
  await arrived;
  controller.abort(new Error("the call is over"));
  await assert.rejects(calling, { message: "the call is over" });
});
