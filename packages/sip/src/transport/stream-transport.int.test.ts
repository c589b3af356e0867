import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { StreamTransport } from "./stream-transport.ts";
import type { Hop } from "./transport.ts";

const loopback = { address: "127.0.0.1", port: 0 };

function message(callId: string, body = ""): string {
  return `OPTIONS sip:a@b SIP/2.0\r\nCall-ID: ${callId}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

interface Bench {
  transport: StreamTransport;
  clock: ManualClock;
  received: string[];
  sources: Hop[];
  dropped: string[];
  /** Resolves after this many messages. */
  until: (count: number) => Promise<void>;
  connectPeer: () => Promise<Peer>;
  close: () => Promise<void>;
}

interface Peer {
  socket: Socket;
  /** All data received so far. */
  text: () => string;
  closed: Promise<unknown>;
}

async function createBench(): Promise<Bench> {
  const clock = new ManualClock();
  const transport = await StreamTransport.listen({ bind: loopback, clock });
  const received: string[] = [];
  const sources: Hop[] = [];
  const dropped: string[] = [];
  transport.start(
    (data, source) => {
      received.push(data.toString());
      sources.push(source);
    },
    (reason) => dropped.push(reason),
  );
  const sockets: Socket[] = [];
  return {
    transport,
    clock,
    received,
    sources,
    dropped,
    until: (count) => eventually(() => received.length >= count),
    connectPeer: async () => {
      const socket = connect(transport.localAddress.port, "127.0.0.1");
      await once(socket, "connect");
      sockets.push(socket);
      return peerOf(socket);
    },
    close: async () => {
      await transport.close();
      for (const socket of sockets) socket.destroy();
      assert.equal(clock.pendingCount, 0);
    },
  };
}

function peerOf(socket: Socket): Peer {
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.on("error", () => undefined);
  return { socket, text: () => text, closed: new Promise((resolve) => void socket.once("close", resolve)) };
}

/** A server to which the transport connects. */
async function createServerPeer(): Promise<{ server: Server; hop: Hop; next: () => Promise<Peer> }> {
  const server = createServer();
  const waiting: Peer[] = [];
  server.on("connection", (socket) => waiting.push(peerOf(socket)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return {
    server,
    hop: { protocol: "TCP", address: "127.0.0.1", port: address.port },
    next: async () => {
      await eventually(() => waiting.length > 0);
      const peer = waiting.shift();
      assert.ok(peer !== undefined);
      return peer;
    },
  };
}

async function eventually(isTrue: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 5_000;
  while (!isTrue()) {
    assert.ok(performance.now() < deadlineMs, "the condition did not become true in time");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("messages arrive complete for every TCP segmentation", async () => {
  const bench = await createBench();
  const { socket } = await bench.connectPeer();
  socket.setNoDelay(true);
  socket.write(message("1", "x") + message("2") + message("3", "half").slice(0, -2));
  await bench.until(2);
  socket.write("lf");
  await bench.until(3);
  for (const byte of message("4", "slow")) {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await bench.until(4);
  assert.deepEqual(bench.received, [
    message("1", "x"),
    message("2"),
    message("3", "half"),
    message("4", "slow"),
  ]);
  await bench.close();
});

test("garbage closes only its own connection", async () => {
  const bench = await createBench();
  const good = await bench.connectPeer();
  good.socket.write(message("1"));
  for (const garbage of [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    message("x").replace("0\r\n\r\n", "99999999\r\n\r\n"),
    "\0".repeat(70_000),
  ]) {
    const bad = await bench.connectPeer();
    bad.socket.write(garbage);
    await bad.closed;
  }
  good.socket.write(message("2"));
  await bench.until(2);
  assert.deepEqual(bench.dropped, ["not SIP", "message too large", "not SIP"]);
  await bench.close();
});

test("a peer that sends no message, or only the start of one, is disconnected", async () => {
  const bench = await createBench();
  const silent = await bench.connectPeer();
  const slow = await bench.connectPeer();
  slow.socket.write(`\r\n\r\n${message("1").slice(0, 30)}`);
  // The answer to the ping shows that the start of the message has been read as well.
  await eventually(() => slow.text() === "\r\n");
  await bench.clock.advance(10_000);
  // A slow trickle of bytes does not extend the time limit.
  slow.socket.write("x");
  await new Promise((resolve) => setTimeout(resolve, 50));
  await bench.clock.advance(5_000);
  await slow.closed;
  assert.equal(silent.socket.destroyed, false);
  await bench.clock.advance(15_000);
  await silent.closed;
  assert.deepEqual(bench.dropped, ["message not completed in time", "no message received in time"]);
  await bench.close();
});

test("an answer uses the connection of its request or fails", async () => {
  const bench = await createBench();
  const peer = await bench.connectPeer();
  peer.socket.write(message("1"));
  await bench.until(1);
  const [source] = bench.sources;
  assert.ok(source !== undefined);
  bench.transport.send(Buffer.from("answer"), source);
  await eventually(() => peer.text() === "answer");
  peer.socket.destroy();
  await eventually(() => bench.transport.connectionPort(source) === undefined);
  const errors: string[] = [];
  bench.transport.send(Buffer.from("late"), source, (error) => errors.push(error.message));
  assert.deepEqual(errors, ["connection closed"]);
  await bench.close();
});

test("a ping is answered, also in two pieces; a peer that answered our ping must keep answering", async () => {
  const bench = await createBench();
  const inbound = await bench.connectPeer();
  inbound.socket.write("\r\n\r\n");
  await eventually(() => inbound.text() === "\r\n");
  inbound.socket.write("\r\n");
  await new Promise((resolve) => setTimeout(resolve, 20));
  inbound.socket.write("\r\n");
  await eventually(() => inbound.text() === "\r\n\r\n");

  const { server, hop, next } = await createServerPeer();
  bench.transport.send(Buffer.from(message("1")), hop);
  const outbound = await next();
  await bench.clock.advance(0);
  await eventually(() => outbound.text() === message("1"));
  for (const [count, answer] of ["", "\r\n"].entries()) {
    await bench.clock.advance(105_000);
    await eventually(() => outbound.text() === message("1") + "\r\n\r\n".repeat(count + 1));
    const sent = bench.received.length + 1;
    outbound.socket.write(answer + message(`after ping ${count}`));
    // The message shows that the answer before it has been read.
    await bench.until(sent);
  }
  assert.equal(bench.dropped.length, 0, "a peer that never answered may not support pings");
  await bench.clock.advance(105_000 + 10_000);
  await outbound.closed;
  assert.ok(bench.dropped.includes("ping not answered"), bench.dropped.join());
  server.close();
  await bench.close();
});

test("a connection is reused, and messages lost with it are sent over a new one", async () => {
  const bench = await createBench();
  const { server, hop, next } = await createServerPeer();
  const errors: string[] = [];
  const send = (callId: string): void =>
    bench.transport.send(Buffer.from(message(callId)), hop, (error) => errors.push(error.message));
  send("1");
  send("2");
  const first = await next();
  await eventually(() => first.text() === message("1") + message("2"));
  first.socket.write(message("hello"));
  await bench.until(1);
  // The peer closes without reading the message sent at the same moment.
  first.socket.pause();
  first.socket.destroy();
  send("3");
  const second = await next();
  await eventually(() => second.text() === message("3"));
  second.socket.destroy();
  await eventually(() => errors.length > 0);
  assert.equal(errors.length, 1, "a connection that never received data is not retried");
  server.close();
  await bench.close();
});

test("a refused or unanswered connection is reported to the sender", async () => {
  const bench = await createBench();
  const { server, hop } = await createServerPeer();
  server.close();
  await once(server, "close");
  const errors: string[] = [];
  bench.transport.send(Buffer.from("x"), hop, (error) => errors.push(error.message));
  await eventually(() => errors.length === 1);
  assert.match(errors[0] ?? "", /ECONNREFUSED/);
  bench.transport.send(Buffer.from("x"), { ...hop, port: 70_000 }, (error) => errors.push(error.message));
  await eventually(() => errors.length === 2);
  await bench.close();
  bench.transport.send(Buffer.from("x"), hop, (error) => errors.push(error.message));
  assert.equal(errors[2], "transport closed");
});

test("a peer that reads nothing is disconnected when 1 MiB is queued", async () => {
  const bench = await createBench();
  const { server, hop, next } = await createServerPeer();
  const errors: string[] = [];
  const big = Buffer.from(message("1", "x".repeat(60_000)));
  bench.transport.send(big, hop);
  const peer = await next();
  peer.socket.pause();
  for (let count = 0; count < 500 && errors.length === 0; count++)
    bench.transport.send(big, hop, (error) => errors.push(error.message));
  await eventually(() => errors.length > 0);
  assert.equal(errors[0], "the peer does not read");
  peer.socket.destroy();
  server.close();
  await bench.close();
});
