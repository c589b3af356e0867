import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { ApiError, Parley } from "./api.ts";

interface Connection {
  lastEventId: string | undefined;
  response: ServerResponse;
}

/** A server whose streams the test writes. `next` resolves with each connection, in order. */
async function serve(context: TestContext): Promise<{ parley: Parley; next: () => Promise<Connection> }> {
  const server = createServer();
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const waiting: Connection[] = [];
  server.on("request", ({ headers }, response) => {
    const lastEventId = headers["last-event-id"];
    waiting.push({ lastEventId: lastEventId?.toString(), response });
    server.emit("taken");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const next = async (): Promise<Connection> => {
    while (waiting.length === 0) await once(server, "taken");
    return waiting.shift() ?? assert.fail();
  };
  return { parley: new Parley({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key" }), next };
}

const part = (offset: number, text: string) => ({ type: "replyPart", messageId: "m", offset, text });
const write = (response: ServerResponse, event: object, id = ""): void =>
  void response.write(`${id === "" ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`);

test("a stream is continued after the last event when its connection is lost, and ended when nobody reads it", async (context) => {
  const { parley, next } = await serve(context);
  const events = parley.streamConversationEvents("c");
  const first = events.next();
  const { response, lastEventId } = await next();
  assert.equal(lastEventId, undefined);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const bytes = Buffer.from(`: a comment\n\nid: 7\ndata: ${JSON.stringify(part(0, "Grüße"))}\n\n`);
  // In the middle of a character.
  const middle = bytes.indexOf("ü") + 1;
  response.write(bytes.subarray(0, middle));
  response.write(bytes.subarray(middle));
  assert.deepEqual((await first).value, part(0, "Grüße"));
  const second = events.next();
  write(response, part(5, "!"));
  assert.deepEqual((await second).value, part(5, "!"));
  const third = events.next();
  response.destroy();
  const again = await next();
  assert.equal(again.lastEventId, "7");
  again.response.writeHead(200, { "content-type": "text/event-stream" });
  write(again.response, { type: "activity", activity: "idle" }, "8");
  assert.deepEqual((await third).value, { type: "activity", activity: "idle" });
  const closed = once(again.response, "close");
  await events.return(undefined);
  await closed;
});

test("a stream ends with the server's refusal, also of its continuation", async (context) => {
  const { parley, next } = await serve(context);
  const events = parley.streamConversationEvents("c");
  const first = events.next();
  const { response } = await next();
  response.writeHead(200, { "content-type": "text/event-stream" });
  write(response, { type: "activity", activity: "idle" });
  await first;
  const second = events.next();
  response.end();
  const refused = (await next()).response;
  refused.writeHead(409).end(JSON.stringify({ error: "conversation_not_active", message: "It has ended." }));
  await assert.rejects(
    second,
    (error) => error instanceof ApiError && error.code === "conversation_not_active",
  );
});

test("a stream that nobody waits for any more is aborted by its signal", async (context) => {
  const { parley, next } = await serve(context);
  const aborting = new AbortController();
  const first = parley.streamConversationEvents("c", { signal: aborting.signal }).next();
  const { response } = await next();
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const closed = once(response, "close");
  aborting.abort(new Error("left"));
  await assert.rejects(first, /left/);
  await closed;
});
