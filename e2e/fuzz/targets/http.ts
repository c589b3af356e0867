import { flipped, spliced } from "../../../packages/sip/src/testing/mutate.ts";
import { createAgent } from "../../support/platform/agents.ts";
import { exchange, httpRequest, tellAnswers } from "../raw-http.ts";
import type { Random } from "../random.ts";
import { fillIn, type Target } from "../target.ts";

/** Node's limit of headers is 16 KiB, the API's of bodies 1 MiB: inputs are below, at and above them. */
const MAX_HEADER_BYTES = 40_000;
const MAX_BODY_BYTES = 1_200_000;
const DEEPEST_JSON = 100_000;

const key = { "x-api-key": "{{key}}" };
const json = { ...key, "content-type": "application/json" };
const id = "0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11";
const paths = [
  "/v1/agents",
  "/v1/agents/{{agent}}",
  `/v1/agents/${id}`,
  "/v1/calls",
  `/v1/calls/${id}`,
  `/v1/calls/${id}/trace`,
  "/v1/sip-trunks",
  "/v1/phone-numbers",
  "/v1/webhooks/deliveries",
  "/v1/analytics/calls",
  "/v1/agents/{{agent}}/versions",
  `/rtc/calls/${id}`,
  "/healthz",
  "/docs",
  "/reference/",
  "/try",
  "/openapi.json",
];
const hosts = ["http://evil.example", "http://127.0.0.1:1", "https://[::1]", "//evil", "http://a@b:80"];
const pathPieces = ["/..", "//", "%2e%2e/", "%00", "\0", "%", "?", "#", "\\", "{}", "é", "\r", " ", "*", ";"];
const queries = [
  "page=-1",
  "page=1e9",
  "pageSize=0",
  "page[]=1&page=2",
  "from=9999999999999",
  "from=%00",
  "__proto__[a]=1",
  "search=%00",
  `search=${"%".repeat(500)}`,
  "a=b&".repeat(3000),
];
const fragments = [
  "\r\n",
  "\n",
  "\0",
  ":",
  " ",
  "\t",
  "HTTP/1.1",
  "Transfer-Encoding: chunked\r\n",
  "é",
  "%",
  "{",
  '"',
];
/** Requests that two servers in a chain parse differently. */
const smuggled = [
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 30\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nx-api-key: {{key}}\r\ncontent-type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n0\r\n\r\n",
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nx-api-key: {{key}}\r\ncontent-type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n",
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nx-api-key: {{key}}\r\ncontent-type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX-Api-Key: other\r\n\r\n",
  "GET /healthz HTTP/1.1\nHost: a\n\n",
  "GET /healthz HTTP/0.9\r\n\r\n",
  "GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
  "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n",
  "POST /v1/agents HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n",
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
];
const values: readonly ((random: Random) => string)[] = [
  (random) => "[".repeat(random.length(DEEPEST_JSON)),
  (random) => {
    const levels = random.length(DEEPEST_JSON);
    return "[".repeat(levels) + "]".repeat(levels);
  },
  (random) => {
    const levels = random.length(DEEPEST_JSON);
    return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  },
  (random) => `{${Array.from({ length: random.length(50_000) }, (_, index) => `"k${index}":0`).join()}}`,
  (random) => `{"name":"${"a".repeat(random.length(MAX_BODY_BYTES))}"}`,
  (random) => `{"name":${"9".repeat(random.length(10_000))}}`,
  () => `{"name":[${"{},".repeat(MAX_BODY_BYTES / 4)}{}]}`,
  () => `{"name":[${"0,".repeat(MAX_BODY_BYTES / 3)}0]}`,
  () => `{${Array.from({ length: 70_000 }, (_, index) => `"k${index}":0`).join()}}`,
  () => `{"defaultVariables":{${Array.from({ length: 60_000 }, (_, index) => `"k ${index}":0`).join()}}}`,
  () => '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}',
  () => '{"name":"\\u0000"}',
  () => '{"name":"\\ud800"}',
  () => '{"name":"a","firstMessage":"{{a}}{{{{b}}"}',
  () => '{"name":null,"promptTemplate":[],"firstMessage":{}}',
  () => "\ufeff{}",
  () => "nul",
  () => '{"name":"a","promptTemplate":"\\u0000","defaultVariables":{"\\u0000":"\\u0000"}}',
];
const fields = [
  "name",
  "promptTemplate",
  "firstMessage",
  "friendlyName",
  "e164",
  "defaultVariables",
  "analysis",
];
const fieldValues = [
  "null",
  "-1",
  "1e400",
  '""',
  '"\\u0000"',
  "[]",
  "{}",
  '"{{{{{{"',
  "true",
  '{"a":{"b":{}}}',
];

type Kind = (random: Random) => Buffer;

const withPath: Kind = (random) => {
  let path = random.pick(paths);
  if (random.chance(0.4)) path = random.pick(hosts) + path;
  if (random.chance(0.6)) {
    const at = random.below(path.length);
    path = path.slice(0, at) + random.pick(pathPieces).repeat(random.length(200)) + path.slice(at);
  }
  if (random.chance(0.4)) path = `${path}?${random.pick(queries)}`;
  return httpRequest(random.pick(["GET", "POST", "PATCH", "DELETE", "OPTIONS", "HEAD"]), path, {
    headers: key,
  });
};

const withHeaders: Kind = (random) => {
  const name = random.pick([
    "x-api-key",
    "authorization",
    "content-type",
    "cookie",
    "X-A",
    "idempotency-key",
    "origin",
  ]);
  const value = random.pick(["a", "é", "\0", "\t", ",", '"', ";"]).repeat(random.length(MAX_HEADER_BYTES));
  const headers: Record<string, string> = { ...json, [name]: value };
  if (random.chance(0.3))
    for (let index = 0; index < random.length(3000); index++) headers[`x-${index}`] = "a";
  const isPost = random.chance(0.5);
  return httpRequest(isPost ? "POST" : "GET", random.pick(paths), { headers, body: isPost ? "{}" : "" });
};

const withBody: Kind = (random) => {
  const method = random.pick(["POST", "PATCH", "PUT"]);
  const body = random.chance(0.6)
    ? random.pick(values)(random)
    : `{"name":"a","promptTemplate":"b","${random.pick(fields)}":${random.pick(fieldValues)}}`;
  return httpRequest(method, random.pick(paths.slice(0, 8)), { headers: json, body });
};

const withBytes: Kind = (random) => {
  const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]);
  const head = httpRequest("POST", random.pick(paths), {
    headers: { ...json, "content-length": String(body.length) },
  });
  return Buffer.concat([head, body]);
};

const kinds: readonly Kind[] = [
  withPath,
  withHeaders,
  withBody,
  withBody,
  withBytes,
  (random) => Buffer.from(random.pick(smuggled), "latin1"),
  (random) => flipped(withBody(random).subarray(0, 2000), random.below),
  (random) => spliced(withPath(random).toString("latin1"), random.below, fragments),
  (random) => random.bytes(random.length(5000)),
];

export const http: Target = {
  name: "http",
  concurrency: 16,
  pauseMs: 0,
  // The first byte selects whether the rest is sent in pieces.
  inputs: (random) => () =>
    Buffer.concat([Buffer.from([random.chance(0.1) ? 1 : 0]), random.pick(kinds)(random)]),
  open: async ({ platform }, onAnswer) => {
    // A separate agent, because some requests change or delete it.
    const { agentId: agent } = await createAgent(platform, { voiceId: null });
    const values = { key: platform.apiKey, agent };
    return {
      send: async (input) => {
        const bytes = fillIn(input.subarray(1), values);
        const answer = await exchange({ port: platform.httpPort, bytes, isSlow: input[0] === 1 });
        tellAnswers(answer, onAnswer, input);
      },
      close: async () => {},
    };
  },
};
