/** How a relaying node handles responses that no node would send. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { AppError } from "../../platform/app-error.ts";
import { systemClock } from "../../platform/clock.ts";
import { RelayProofs } from "./relay-proofs.ts";
import { WhipRelay } from "./whip-relay.ts";

const proofs = new RelayProofs([Buffer.alloc(32, 1)], systemClock);
const request = { method: "POST", path: "/rtc/calls/1", headers: {}, body: "v=0" } as const;

async function serve(context: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

async function refusalOf(context: TestContext, origin: string, deadlineMs: number): Promise<string> {
  const relay = new WhipRelay(proofs, deadlineMs);
  context.after(async () => await relay.close());
  const passed = await relay.pass(request, async () => origin).catch((error: unknown) => error);
  assert.ok(passed instanceof AppError, JSON.stringify(passed));
  return passed.code;
}

test("a redirect is not followed", async (context) => {
  let followed = 0;
  const target = await serve(context, (_request, response) => {
    followed += 1;
    response.end("secret");
  });
  const origin = await serve(context, (_request, response) => {
    response.writeHead(302, { location: target }).end();
  });
  assert.equal(await refusalOf(context, origin, 5_000), "capacity_exceeded");
  assert.equal(followed, 0);
});

test("an endless response is aborted at 64 KiB", async (context) => {
  let written = 0;
  const origin = await serve(context, (_request, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  });
  // The deadline is an hour, so only the size limit can end the request.
  assert.equal(await refusalOf(context, origin, 3_600_000), "capacity_exceeded");
  assert.ok(written > 0);
});

test("a response that arrives byte by byte is aborted at the deadline", async (context) => {
  const origin = await serve(context, (_request, response) => {
    const dripping = setInterval(() => response.write("."), 5);
    response.once("close", () => clearInterval(dripping));
  });
  assert.equal(await refusalOf(context, origin, 100), "capacity_exceeded");
});

test("a relayed request is not relayed again, and causes no lookup", async () => {
  const relay = new WhipRelay(proofs);
  const relayed = { ...request, headers: { "x-parley-relayed": proofs.issue(request, request.body) } };
  const find = async (): Promise<string> => assert.fail("looked up");
  await assert.rejects(relay.pass(relayed, find), { code: "not_found" });
  await relay.close();
});

test("a relayed request has the proof of its node, and not the token", async (context) => {
  const token = "a-token-with-which-anybody-could-join";
  const sent: string[] = [];
  const origin = await serve(context, ({ method, headers, rawHeaders }, response) => {
    sent.push(rawHeaders.join("\n"));
    const head = { method: method ?? "", path: request.path, headers };
    const proof = String(headers["x-parley-relayed"]);
    assert.ok(proofs.isValid(proof, head) && proofs.isBody(proof, request.body));
    response.writeHead(200).end();
  });
  const relay = new WhipRelay(proofs);
  context.after(async () => await relay.close());
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/sdp" };
  assert.equal((await relay.pass({ ...request, headers }, async () => origin)).status, 200);
  assert.equal(sent.length, 1);
  assert.ok(!sent.join().includes(token));
});
