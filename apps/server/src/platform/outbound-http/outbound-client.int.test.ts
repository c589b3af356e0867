import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import test, { type TestContext } from "node:test";
import { SystemResolver } from "@parley/sip/resolver";
import { OutboundClient, type OutboundError, type OutboundRequest } from "./outbound-client.ts";

async function serve(t: TestContext, listener: RequestListener): Promise<{ url: string; port: number }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return { url: `http://127.0.0.1:${address.port}`, port: address.port };
}

function open(t: TestContext, isPrivateAllowed: boolean): OutboundClient {
  const client = new OutboundClient({ isPrivateAllowed });
  t.after(async () => await client.close());
  return client;
}

function requestOf(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: "GET",
    url,
    headers: {},
    deadlineMs: 5_000,
    signal: new AbortController().signal,
    ...more,
  };
}

const failsAs = (kind: OutboundError["kind"], message = /./) => ({ name: "OutboundError", kind, message });

test("a request is sent unchanged, and its answer is returned", async (t) => {
  const { url } = await serve(t, (request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      response.writeHead(201, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ method: request.method, path: request.url, key: request.headers["x-key"], body }),
      );
    });
  });
  const answer = await open(t, true).send(
    requestOf(`${url}/orders?of=1`, { method: "PATCH", headers: { "x-key": "k" }, body: "{}" }),
  );
  assert.deepEqual([answer.status, answer.contentType, answer.isCut], [201, "application/json", false]);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(answer.body)), {
    method: "PATCH",
    path: "/orders?of=1",
    key: "k",
    body: "{}",
  });
});

test("connections are kept and used again", async (t) => {
  const ports = new Set<number | undefined>();
  const { url } = await serve(t, (request, response) => {
    ports.add(request.socket.remotePort);
    response.end("ok");
  });
  const client = open(t, true);
  for (let i = 0; i < 5; i++) await client.send(requestOf(url));
  assert.ok(ports.size < 5);
});

test("a redirect is an answer and is not followed", async (t) => {
  let requests = 0;
  const { url } = await serve(t, (_, response) => {
    requests++;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  assert.equal((await open(t, true).send(requestOf(url))).status, 302);
  assert.equal(requests, 1);
});

test("the first MiB of an endless answer is read, and the connection is closed", async (t) => {
  const { url } = await serve(t, (_, response) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const write = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", write);
    write();
  });
  const { body, isCut } = await open(t, true).send(requestOf(url));
  assert.deepEqual([body.length, isCut], [1024 * 1024, true]);
});

for (const [name, host] of [
  ["an address", "127.0.0.1"],
  ["an address written as a number", "2130706433"],
  ["an address written in hexadecimal", "0x7f.1"],
  ["an IPv6 address", "[::ffff:127.0.0.1]"],
  ["a name", "localhost"],
] as const) {
  test(`this machine is not reached by ${name}`, async (t) => {
    let requests = 0;
    const { port } = await serve(t, (_, response) => {
      requests++;
      response.end();
    });
    const sending = open(t, false).send(requestOf(`http://${host}:${port}/`));
    await assert.rejects(sending, failsAs("refused_address"));
    assert.equal(requests, 0);
  });
}

test("a Host header cannot lead to another address", async (t) => {
  const { port } = await serve(t, (_, response) => response.end());
  const request = requestOf(`http://127.0.0.1:${port}/`, { headers: { host: "example.com" } });
  await assert.rejects(open(t, false).send(request), failsAs("refused_address"));
});

test("a name is checked by its resolved address at every connection", async (t) => {
  let requests = 0;
  const { port } = await serve(t, (_, response) => {
    requests++;
    response.end();
  });
  let lookups = 0;
  const addresses = async () => {
    lookups++;
    return { records: ["127.0.0.1"], ttlSeconds: 60 };
  };
  const client = new OutboundClient({ isPrivateAllowed: false, resolver: { addresses } });
  t.after(async () => await client.close());
  for (const times of [1, 2]) {
    const sending = client.send(requestOf(`http://rebinding.example:${port}/`));
    await assert.rejects(sending, failsAs("refused_address"));
    assert.equal(lookups, times);
  }
  assert.equal(requests, 0);
});

test("names that do not resolve delay no other request", async (t) => {
  const silent = createSocket("udp4").bind(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const resolver = new SystemResolver({ nameServers: [`127.0.0.1:${silent.address().port}`] });
  const client = new OutboundClient({ isPrivateAllowed: true, resolver });
  t.after(async () => await client.close());
  const { port } = await serve(t, (_, response) => void response.end("ok"));
  let ended = 0;
  // More than the threads of the process.
  const dead = Array.from({ length: 40 }, async (_, index) => {
    const request = requestOf(`http://host${index}.black.example/`, { deadlineMs: 20_000 });
    await assert.rejects(client.send(request), { name: "OutboundError" });
    ended++;
  });
  assert.equal((await client.send(requestOf(`http://localhost:${port}/`))).status, 200);
  assert.equal(ended, 0);
  await Promise.all(dead);
});

test("a server that hangs times out before the handshake, before the headers and within the body", async (t) => {
  // Connections that the client leaves open after its end would keep this file alive, which fails it.
  const silent = createTcpServer((socket) => void socket.resume()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const address = silent.address();
  assert.ok(typeof address === "object" && address !== null);
  const { url } = await serve(t, (request, response) => {
    if (request.url === "/body") response.write("half of");
  });
  const client = open(t, true);
  for (const target of [
    `http://127.0.0.1:${address.port}/`,
    `https://127.0.0.1:${address.port}/`,
    url,
    `${url}/body`,
  ]) {
    const sending = client.send(requestOf(target, { deadlineMs: 50 }));
    await assert.rejects(sending, failsAs("timeout", /no answer within 50 ms/), target);
  }
});

test("an abort ends a request with the signal's own reason", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const { url } = await serve(t, () => arrived.resolve());
  const controller = new AbortController();
  const sending = open(t, true).send(requestOf(url, { signal: controller.signal }));
  await arrived.promise;
  controller.abort(new Error("the call is over"));
  await assert.rejects(sending, { message: "the call is over" });
});

test("the error says whether the server was unreachable, broke off, or the request was invalid", async (t) => {
  const { url } = await serve(t, (request) => request.socket.destroy());
  const client = open(t, true);
  await assert.rejects(client.send(requestOf(url)), failsAs("connection"));
  await assert.rejects(client.send(requestOf("http://127.0.0.1:1/")), failsAs("connection", /ECONNREFUSED/));
  await assert.rejects(client.send(requestOf("http://nothing.invalid/")), failsAs("connection"));
  for (const bad of ["ftp://127.0.0.1/", "not a url", "http://"]) {
    await assert.rejects(client.send(requestOf(bad)), failsAs("request"), bad);
  }
  const split = requestOf(url, { headers: { "x-name": "a\r\nx-evil: 1" } });
  await assert.rejects(client.send(split), failsAs("request"));
});
