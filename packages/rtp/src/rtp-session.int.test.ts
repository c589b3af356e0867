import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, test } from "node:test";
import { parseRtp, writeRtp, type RtpPacket } from "./packet.ts";
import { PortPool } from "./port-pool.ts";
import { parseRtcp } from "./rtcp/rtcp-packet.ts";
import { type RtpPathOptions, RtpSession } from "./rtp-session.ts";
import type { TransportAddress } from "./source-latch.ts";
import type { SrtpKeys } from "./srtp/srtp-session.ts";
import { seededRandom } from "@parley/testing";

const LOOPBACK = "127.0.0.1";
const TIMEOUT_MS = 5000;

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const resource of opened.splice(0)) {
    resource.close();
  }
});

async function openPeer(address = LOOPBACK): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, address);
  await once(socket, "listening");
  opened.push(socket);
  return socket;
}

async function openSession(
  ports: PortPool,
  onPacket: (packet: RtpPacket) => void = () => undefined,
): Promise<RtpSession> {
  const session = await RtpSession.open({ address: LOOPBACK, ports, payloadTypes: [0, 8], onPacket });
  opened.push(session);
  return session;
}

/** A range of free even ports next to a port just assigned by the system. */
async function findRange(): Promise<{ first: number; last: number }> {
  const probe = createSocket("udp4");
  probe.bind(0, LOOPBACK);
  await once(probe, "listening");
  const first = Math.min(probe.address().port & ~1, 65_400);
  probe.close();
  return { first, last: first + 19 };
}

function packet(sequenceNumber: number, payloadType = 0): Uint8Array {
  const payload = new Uint8Array(160);
  return writeRtp({
    marker: false,
    payloadType,
    sequenceNumber,
    timestamp: sequenceNumber * 160,
    ssrc: 5,
    payload,
  });
}

async function eventually(condition: () => boolean): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  while (!condition()) {
    assert.ok(performance.now() < endMs, "the condition did not become true in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function nextMessage(socket: Socket): Promise<RtpPacket> {
  const [datagram] = await once(socket, "message", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  assert.ok(datagram instanceof Uint8Array);
  const parsed = parseRtp(datagram);
  assert.ok(parsed);
  return parsed;
}

test("packets flow both ways, and the reply goes to the source of the first", async () => {
  const received: RtpPacket[] = [];
  const session = await openSession(new PortPool(await findRange()), (each) => received.push(each));
  const peer = await openPeer();
  assert.equal(session.lastReceivedAtMs, undefined);
  assert.equal(session.send(new Uint8Array(160), 0, 0, true), false);

  peer.send(packet(1), session.port, LOOPBACK);
  await eventually(() => received.length === 1);
  assert.equal(received[0]?.payload.length, 160);
  assert.ok(session.lastReceivedAtMs !== undefined);

  const first = nextMessage(peer);
  assert.equal(session.send(Uint8Array.of(1, 2, 3), 8, 0, true), true);
  const a = await first;
  const second = nextMessage(peer);
  session.send(Uint8Array.of(4), 8, 160, false);
  const b = await second;
  assert.deepEqual([a.marker, a.payloadType, [...a.payload]], [true, 8, [1, 2, 3]]);
  assert.equal(a.ssrc, session.ssrc);
  assert.equal(b.sequenceNumber, (a.sequenceNumber + 1) & 0xffff);
  assert.equal(b.timestamp, (a.timestamp + 160) >>> 0);
});

test("media goes to the address of the SDP before a packet arrives", async () => {
  const session = await openSession(new PortPool(await findRange()));
  const peer = await openPeer();
  session.negotiate({ address: LOOPBACK, port: peer.address().port }, [0]);
  const message = nextMessage(peer);
  assert.equal(session.send(Uint8Array.of(9), 0, 0, true), true);
  assert.deepEqual([...(await message).payload], [9]);
});

test("an SDP without a usable address leaves the destination open", async () => {
  const session = await openSession(new PortPool(await findRange()));
  for (const remote of [
    { address: "media.example.org", port: 4000 },
    { address: "0.0.0.0", port: 4000 },
    { address: LOOPBACK, port: 0 },
    { address: LOOPBACK, port: 70_000 },
  ]) {
    session.negotiate(remote, [0]);
    assert.equal(session.destination, undefined);
  }
});

test("malformed, oversized, RTCP, foreign and unnegotiated packets are counted and dropped", async () => {
  let received = 0;
  const session = await openSession(new PortPool(await findRange()), () => received++);
  const peer = await openPeer();
  const stranger = await openPeer();
  const send = (from: Socket, datagram: Uint8Array) => from.send(datagram, session.port, LOOPBACK);
  send(peer, packet(1));
  await eventually(() => received === 1);
  send(peer, Uint8Array.of(1, 2, 3));
  send(peer, packet(2, 96));
  send(peer, new Uint8Array(2000).fill(0x80));
  send(peer, Uint8Array.of(0x80, 201, 0, 1, 0, 0, 0, 1));
  send(stranger, packet(5000));
  await eventually(() => session.counters.foreign === 1);
  await eventually(() => session.counters.oversized === 1 && session.counters.rtcp === 1);
  assert.equal(session.counters.malformed, 2);
  assert.equal(received, 1);
});

test("ICMP port unreachable from a vanished peer is harmless", async () => {
  const session = await openSession(new PortPool(await findRange()));
  const gone = await openPeer();
  const { port } = gone.address();
  opened.splice(opened.indexOf(gone), 1);
  gone.close();
  session.negotiate({ address: LOOPBACK, port }, [0]);
  for (let i = 0; i < 20; i++) {
    session.send(new Uint8Array(160), 0, i * 160, false);
  }
  await eventually(() => session.counters.sent + session.counters.socketErrors === 20);
});

test("an unreachable address is counted and does not throw", async () => {
  const session = await openSession(new PortPool(await findRange()));
  session.negotiate({ address: "203.0.113.1", port: 4000 }, [0]);
  session.send(new Uint8Array(160), 0, 0, false);
  session.negotiate({ address: "::1", port: 4000 }, [0]);
  session.send(new Uint8Array(160), 0, 0, false);
  await eventually(() => session.counters.sent + session.counters.socketErrors === 2);
});

const MASTER_KEYS = [Buffer.alloc(30, 1), Buffer.alloc(30, 2)] as const;

function srtpOf(local: Buffer, remote: Buffer): SrtpKeys {
  return { suite: "AES_CM_128_HMAC_SHA1_80", localMasterKey: local, remoteMasterKey: remote };
}

/** Two sessions that have each other's addresses. */
async function openTwo(
  options: (side: 0 | 1, rtcpOfOther: TransportAddress) => RtpPathOptions,
): Promise<{ sessions: readonly [RtpSession, RtpSession]; received: RtpPacket[] }> {
  const ports = new PortPool(await findRange());
  const received: RtpPacket[] = [];
  const [a, b] = [await openSession(ports), await openSession(ports, (each) => received.push(each))];
  for (const [side, self, other] of [
    [0, a, b],
    [1, b, a],
  ] as const) {
    const remote = { address: LOOPBACK, port: other.port };
    self.negotiate(remote, [0], options(side, { address: LOOPBACK, port: other.port + 1 }));
  }
  return { sessions: [a, b], received };
}

/** Sends packets and advances time past the report interval. */
async function talk([a, b]: readonly [RtpSession, RtpSession]): Promise<void> {
  for (let i = 0; i < 20; i++) {
    a.send(new Uint8Array(160).fill(i), 0, i * 160, i === 0);
    b.send(new Uint8Array(160).fill(i), 0, i * 160, i === 0);
  }
  await eventually(() => a.counters.received === 20 && b.counters.received === 20);
  const nowMs = performance.now();
  for (const laterMs of [0, 8000, 16_000]) {
    a.report(nowMs + laterMs);
    b.report(nowMs + laterMs);
    await eventually(() => Math.min(a.counters.rtcp, b.counters.rtcp) >= laterMs / 8000);
  }
}

test("two sessions with SRTP receive each other's audio and reports, and nothing without the key", async () => {
  const [one, two] = MASTER_KEYS;
  const { sessions, received } = await openTwo((side) => ({
    srtp: side === 0 ? srtpOf(one, two) : srtpOf(two, one),
  }));
  await talk(sessions);
  assert.deepEqual(received.at(-1)?.payload, Buffer.alloc(160, 19));
  const [a, b] = sessions;
  assert.equal(a.counters.unauthentic + b.counters.unauthentic, 0);
  const stranger = await openPeer();
  stranger.send(packet(5), b.port, LOOPBACK);
  await eventually(() => b.counters.unauthentic === 1);
  assert.equal(received.length, 20);
});

test("a report larger than an Ethernet frame is dropped before it is parsed", async () => {
  const session = await openSession(new PortPool(await findRange()));
  const peer = await openPeer();
  const srtp = srtpOf(MASTER_KEYS[0], MASTER_KEYS[1]);
  session.negotiate({ address: LOOPBACK, port: peer.address().port }, [0], { srtp });
  for (const bytes of [1_501, 1_559, 60_000]) {
    const datagram = Buffer.alloc(bytes);
    datagram.set([0x80, 200]);
    peer.send(datagram, session.port + 1, LOOPBACK);
    peer.send(datagram, session.port, LOOPBACK);
  }
  await eventually(() => session.counters.oversized === 6);
  assert.equal(session.counters.unauthentic, 0);
});

test("keys may change during a call, and unchanged ones continue", async () => {
  const [one, two] = MASTER_KEYS;
  const { sessions, received } = await openTwo((side) => ({
    srtp: side === 0 ? srtpOf(one, two) : srtpOf(two, one),
  }));
  await talk(sessions);
  const [a, b] = sessions;
  const renewed = Buffer.alloc(30, 3);
  a.negotiate({ address: LOOPBACK, port: b.port }, [0], { srtp: srtpOf(renewed, two) });
  b.negotiate({ address: LOOPBACK, port: a.port }, [0], { srtp: srtpOf(two, renewed) });
  a.send(new Uint8Array(160), 0, 3200, false);
  b.send(new Uint8Array(160), 0, 3200, false);
  await eventually(() => received.length === 21 && a.counters.received === 21);
});

test("reports describe each side's stream, on the next port or multiplexed with RTP", async () => {
  for (const isRtcpMultiplexed of [false, true]) {
    const { sessions } = await openTwo(() => ({ isRtcpMultiplexed }));
    await talk(sessions);
    for (const session of sessions) {
      const { received, sent } = session.statistics;
      assert.deepEqual([received.packets, received.lost], [20, 0]);
      assert.deepEqual([sent?.packets, sent?.lost], [20, 0]);
      assert.ok(session.lastActivityAtMs !== undefined);
    }
  }
});

test("closing sends BYE to the peer", async () => {
  const session = await openSession(new PortPool(await findRange()));
  const [peer, peerRtcp] = [await openPeer(), await openPeer()];
  session.negotiate({ address: LOOPBACK, port: peer.address().port }, [0], {
    rtcp: { address: LOOPBACK, port: peerRtcp.address().port },
  });
  session.send(new Uint8Array(160), 0, 0, true);
  await once(peer, "message", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const farewell = once(peerRtcp, "message", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  session.close();
  const [datagram] = await farewell;
  assert.ok(datagram instanceof Uint8Array);
  assert.deepEqual(parseRtcp(datagram)?.leaving, [session.ssrc]);
});

test("RTCP of strangers is ignored", async () => {
  const session = await openSession(new PortPool(await findRange()));
  const stranger = await openPeer("127.0.0.2");
  session.negotiate({ address: LOOPBACK, port: 9 }, [0]);
  stranger.send(Uint8Array.of(0x80, 201, 0, 1, 0, 0, 0, 1), session.port + 1, LOOPBACK);
  await eventually(() => session.counters.foreign === 1);
  assert.equal(session.lastActivityAtMs, undefined);
});

test("a port used by another process is skipped", async () => {
  const range = await findRange();
  const squatter = createSocket("udp4");
  squatter.bind(range.first, LOOPBACK);
  await once(squatter, "listening");
  opened.push(squatter);
  const ports = new PortPool(range);
  const session = await openSession(ports);
  assert.ok(session.port > range.first && session.port % 2 === 0);
  assert.equal(ports.freeCount, 9);
});

test("without a free port, opening fails and no port is lost", async () => {
  const { first } = await findRange();
  const ports = new PortPool({ first, last: first + 1 });
  await openSession(ports);
  await assert.rejects(openSession(ports), /no free RTP port/);
  assert.equal(ports.freeCount, 0);
});

test("a foreign local address fails at once and releases the port", async () => {
  const ports = new PortPool(await findRange());
  const opening = RtpSession.open({
    address: "203.0.113.1",
    ports,
    payloadTypes: [0],
    onPacket: assert.fail,
  });
  await assert.rejects(opening, /EADDRNOTAVAIL/);
  assert.equal(ports.freeCount, 10);
});

test("close is idempotent, releases the port once, and stops sending and receiving", async () => {
  let received = 0;
  const ports = new PortPool(await findRange());
  const session = await openSession(ports, () => received++);
  const peer = await openPeer();
  session.negotiate({ address: LOOPBACK, port: peer.address().port }, [0]);
  session.close();
  session.close();
  peer.send(packet(1), session.port, LOOPBACK);
  assert.equal(session.send(new Uint8Array(160), 0, 0, false), false);
  await eventually(() => ports.freeCount === 10);
  assert.equal(received, 0);
});

test("random, truncated and oversized datagrams do not break the session", async () => {
  const random = seededRandom(3);
  const received: RtpPacket[] = [];
  const session = await openSession(new PortPool(await findRange()), (each) => received.push(each));
  const peer = await openPeer();
  const noise = await openPeer();
  peer.send(packet(1), session.port, LOOPBACK);
  await eventually(() => received.length === 1);
  for (let i = 0; i < 2000; i++) {
    const length = random() < 0.05 ? 1500 + random() * 8000 : random() * 60;
    noise.send(
      Uint8Array.from({ length }, () => random() * 256),
      session.port,
      LOOPBACK,
    );
    if (i % 50 === 0) {
      // Loopback drops packets if the receive buffer is full.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await eventually(() => session.counters.malformed > 500 && session.counters.oversized > 10);
  peer.send(packet(2), session.port, LOOPBACK);
  await eventually(() => received.at(-1)?.sequenceNumber === 2);
  assert.equal(received.length, 2);
});
