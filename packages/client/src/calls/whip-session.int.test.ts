import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { WhipSession } from "./whip-session.ts";

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

interface Received {
  request: string;
  headers: IncomingMessage["headers"];
  body: string;
}

const servers: Server[] = [];
const { signal } = new AbortController();

after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A WHIP endpoint that gives these answers in order. */
async function serve(...answers: readonly Answer[]): Promise<{ session: WhipSession; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const { method = "", url = "", headers } = request;
      received.push({ request: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString() });
      const { status, headers: own, body } = answers[received.length - 1] ?? { status: 500 };
      response.writeHead(status, own);
      response.end(body);
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { session: new WhipSession(`http://127.0.0.1:${port}/rtc/calls/a`, "secret"), received };
}

const created: Answer = {
  status: 201,
  headers: { location: "/rtc/calls/a/session", etag: '"1"' },
  body: "answer",
};

test("the first offer is posted with the token; candidates and later offers go to the session", async () => {
  const { session, received } = await serve(
    created,
    { status: 204 },
    { status: 200, headers: { etag: '"2"' }, body: "answer 2" },
    { status: 204 },
    { status: 200 },
  );
  assert.equal(await session.exchange("offer", signal), "answer");
  await session.trickle("candidates", signal);
  assert.equal(await session.exchange("offer 2", signal), "answer 2");
  await session.trickle("candidates 2", signal);
  await session.end();
  assert.deepEqual(
    received.map(({ request, body, headers }) => [request, body, headers["if-match"]]),
    [
      ["POST /rtc/calls/a", "offer", undefined],
      ["PATCH /rtc/calls/a/session", "candidates", '"1"'],
      ["PATCH /rtc/calls/a/session", "offer 2", "*"],
      ["PATCH /rtc/calls/a/session", "candidates 2", '"2"'],
      ["DELETE /rtc/calls/a/session", "", undefined],
    ],
  );
  assert(received.every(({ headers }) => headers.authorization === "Bearer secret"));
});

test("an ICE restart updates the ETag that later candidates use", async () => {
  const { session, received } = await serve(
    created,
    { status: 200, headers: { etag: '"2"' }, body: "our side" },
    { status: 204 },
    { status: 422, body: JSON.stringify({ error: "offer_not_acceptable", message: "There is no way." }) },
  );
  await session.exchange("offer", signal);
  assert.equal(await session.restartIce("restart", signal), "our side");
  await session.trickle("candidates", signal);
  await assert.rejects(session.restartIce("restart", signal), { code: "refused" });
  assert.deepEqual(
    received.slice(1).map(({ body, headers }) => [body, headers["if-match"], headers["content-type"]]),
    [
      ["restart", "*", "application/trickle-ice-sdpfrag"],
      ["candidates", '"2"', "application/trickle-ice-sdpfrag"],
      ["restart", "*", "application/trickle-ice-sdpfrag"],
    ],
  );
});

test("ICE servers are requested before there is a session", async () => {
  const link = '<stun:stun.example.net>; rel="ice-server"';
  const { session, received } = await serve({ status: 204, headers: { link } });
  assert.deepEqual(await session.iceServers(signal), [{ urls: "stun:stun.example.net" }]);
  assert.equal(received[0]?.request, "OPTIONS /rtc/calls/a");
});

test("an error status becomes a code", async () => {
  const codes: [number, string][] = [
    [401, "token_refused"],
    [404, "call_over"],
    [409, "already_joined"],
    [503, "no_capacity"],
  ];
  for (const [status, code] of codes) {
    const { session } = await serve({ status });
    await assert.rejects(session.exchange("offer", signal), { name: "JoinError", code });
  }
});

test("another error has the server's message", async () => {
  const body = JSON.stringify({ error: "offer_not_acceptable", message: "There is no Opus." });
  const { session } = await serve({ status: 422, body });
  await assert.rejects(session.exchange("offer", signal), { code: "refused", message: /There is no Opus\./ });
});

test("an unreachable server is distinct from a rejection", async () => {
  const session = new WhipSession("http://127.0.0.1:1/rtc/calls/a", "secret");
  await assert.rejects(session.exchange("offer", signal), { code: "server_unreachable" });
});

test("a session that was not created is not ended", async () => {
  const { session, received } = await serve();
  await session.end();
  assert.deepEqual(received, []);
});
