/**
 * ICE restarts over real sockets, with the library's own ICE, DTLS and SRTP on both sides; it cannot restart ICE itself, so the
 * browser's side of that is played here. Real browsers: e2e/web/ice-restart.test.ts.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanup } from "node-datachannel";
import { type PortRange, writeRtp } from "@parley/rtp";
import { waitFor } from "@parley/testing";
import { createIceCredentials, type IceCredentials } from "./ice/ice-agent.ts";
import { isStun, parseStun, type StunMessage, writeStun } from "./ice/stun-message.ts";
import { connectPatiently, Offerer } from "../testing/offerer.ts";
import { CallScope } from "../../platform/call-scope.ts";
import { WebPeer } from "./web-peer.ts";
import { iceCredentialsOf, readOffer } from "./web-sdp.ts";

const LOOPBACK = "127.0.0.1";
const PORTS: PortRange = { first: 39_480, last: 39_499 };

after(() => cleanup());

async function open(onDatagram: (datagram: Buffer, port: number) => void): Promise<Socket> {
  const socket = createSocket("udp4", (datagram, { port }) => onDatagram(datagram, port));
  socket.bind(0, LOOPBACK);
  await once(socket, "listening");
  return socket;
}

/** A browser whose network is in the test's hand: every datagram between it and the peer passes through here. */
class MovingBrowser {
  readonly offerer = new Offerer();
  readonly peer: WebPeer;
  readonly received: string[] = [];
  connectedCount = 0;
  disconnectedCount = 0;
  /** Faces the offerer, in the peer's place. */
  #inside: Socket | undefined;
  #offererPort = 0;
  /** Faces the peer; another one in each network. */
  #outside: Socket | undefined;
  #remotePort = 0;
  #firstAnswer: IceCredentials | undefined;
  #sequenceNumber = 0;
  /** After a restart: what the checks are made with. */
  #local: IceCredentials | undefined;
  #remote: IceCredentials | undefined;

  private constructor(ports: PortRange) {
    this.peer = new WebPeer({
      scope: new CallScope((error) => assert.fail(String(error))),
      ports,
      publicAddress: LOOPBACK,
      ssrc: 4711,
      cname: "agent",
      onPacket: ({ payload }) => this.received.push(Buffer.from(payload).toString()),
      onRtcp: () => {},
      onConnected: () => this.connectedCount++,
      onDisconnected: () => this.disconnectedCount++,
      onChannel: () => this.peer.sendEvent("hello"),
      onMessage: () => {},
    });
  }

  static async connect(ports: PortRange): Promise<MovingBrowser> {
    return await connectPatiently(async () => {
      const browser = new MovingBrowser(ports);
      try {
        await browser.#connect();
        return browser;
      } catch (error) {
        await browser.close();
        throw error;
      }
    });
  }

  async #connect(): Promise<void> {
    this.#inside = await open((datagram, port) => {
      this.#offererPort = port;
      if (this.#local === undefined || !isStun(datagram))
        this.#outside?.send(datagram, this.#remotePort, LOOPBACK);
      else this.#appease(datagram);
    });
    this.#outside = await open((datagram) => this.#inside?.send(datagram, this.#offererPort, LOOPBACK));
    const offer = await this.offerer.offer();
    // The peer is to know no way but ours.
    const reading = readOffer(offer.replace(/^a=candidate:.*\r\n/gm, ""));
    assert.ok(reading.ok);
    const answer = await this.peer.answer(reading.offer);
    this.#firstAnswer = iceCredentialsOf(answer) ?? assert.fail();
    this.#remotePort = Number(/^a=candidate:public (?:\S+ ){4}(\d+)/m.exec(answer)?.[1]);
    const { port } = this.#inside.address();
    this.offerer.accept(
      answer
        .replace(/^a=candidate:(?!public).*\r\n/gm, "")
        .replaceAll(` ${LOOPBACK} ${this.#remotePort} `, ` ${LOOPBACK} ${port} `),
    );
    await this.offerer.open.promise;
    await waitFor("events", () => this.offerer.messages.includes("hello"));
  }

  /** Leaves the network: what was sent from it or is sent to it is lost. */
  cut(): void {
    this.#outside?.close();
    this.#outside = undefined;
  }

  /** Gives the peer's side of the restart. */
  async restartIce(): Promise<string> {
    const local = createIceCredentials();
    const fragment = await this.peer.restartIce(local, []);
    this.#local = local;
    this.#remote = iceCredentialsOf(fragment) ?? assert.fail();
    this.#remotePort = Number(/^a=candidate:(?:\S+ ){5}(\d+)/m.exec(fragment)?.[1]);
    return fragment;
  }

  /** Checks the new path and chooses it, as the controlling agent. */
  async choosePath(password?: string): Promise<boolean> {
    const [local, remote] = [this.#local ?? assert.fail(), this.#remote ?? assert.fail()];
    let isAnswered = false;
    const outside = await open((datagram) => {
      const message = isStun(datagram) ? parseStun(datagram) : undefined;
      if (message?.class === "success") isAnswered = message.isAuthentic(remote.pwd);
      if (message?.class === "request" && message.isAuthentic(local.pwd)) {
        assert.equal(message.username, `${local.ufrag}:${remote.ufrag}`);
        const { transactionId } = message;
        const mappedAddress = { address: LOOPBACK, port: this.#remotePort };
        outside.send(
          writeStun({ class: "success", transactionId, mappedAddress }, local.pwd),
          this.#remotePort,
          LOOPBACK,
        );
      }
      if (!isStun(datagram)) this.#inside?.send(datagram, this.#offererPort, LOOPBACK);
    });
    for (const useCandidate of [false, true]) {
      const request: StunMessage = {
        class: "request",
        transactionId: randomBytes(12),
        username: `${remote.ufrag}:${local.ufrag}`,
        priority: 1,
        controlling: 1n,
        useCandidate,
      };
      outside.send(writeStun(request, password ?? remote.pwd), this.#remotePort, LOOPBACK);
      await sleep(50);
    }
    if (!isAnswered) outside.close();
    else {
      this.cut();
      this.#outside = outside;
    }
    return isAnswered;
  }

  /** Keeps the offerer's own ICE content, which knows of no restart. */
  #appease(datagram: Buffer): void {
    const message = parseStun(datagram);
    if (message?.class !== "request") return;
    const { transactionId } = message;
    const mappedAddress = { address: LOOPBACK, port: this.#offererPort };
    const response = writeStun(
      { class: "success", transactionId, mappedAddress },
      this.#firstAnswer?.pwd ?? "",
    );
    this.#inside?.send(response, this.#offererPort, LOOPBACK);
  }

  /** Audio both ways. */
  async talk(about: string): Promise<void> {
    await waitFor(`${about} in`, () => {
      this.offerer.say(`${about} in`);
      return this.received.includes(`${about} in`);
    });
    await waitFor(`${about} out`, () => {
      this.#sequenceNumber++;
      this.peer.send(
        writeRtp({
          payload: Buffer.from(`${about} out`),
          payloadType: 111,
          sequenceNumber: this.#sequenceNumber,
          timestamp: this.#sequenceNumber * 960,
          ssrc: 4711,
          marker: false,
        }),
      );
      return this.offerer.heard.includes(`${about} out`);
    });
    this.peer.sendEvent(about);
    await waitFor(`${about} told`, () => this.offerer.messages.includes(about));
  }

  async close(): Promise<void> {
    this.offerer.close();
    this.peer.close();
    // Until what it said last has left.
    await sleep(600);
    this.cut();
    this.#inside?.close();
  }
}

test("after each ICE restart the same connection continues from another network", async () => {
  const browser = await MovingBrowser.connect(PORTS);
  await browser.talk("at home");
  for (const network of ["on the train", "in town", "in the office"]) {
    browser.cut();
    await browser.restartIce();
    assert.ok(await browser.choosePath());
    await browser.talk(network);
  }
  assert.deepEqual([browser.connectedCount, browser.disconnectedCount], [1, 0]);
  await browser.close();
});

test("the previous path is used until the browser has nominated a path of the restart", async () => {
  const browser = await MovingBrowser.connect(PORTS);
  await browser.talk("before");
  const fragment = await browser.peer.restartIce(createIceCredentials(), []);
  assert.match(fragment, /^a=ice-ufrag:/m);
  await browser.talk("meanwhile");
  await browser.close();
});

test("a peer without the new password is not answered", async () => {
  const browser = await MovingBrowser.connect(PORTS);
  await browser.restartIce();
  assert.equal(await browser.choosePath("guessed"), false);
  assert.equal(await browser.choosePath(), true);
  await browser.talk("with the right one");
  await browser.close();
});

test("a restart invalidates the credentials of an earlier, unused restart", async () => {
  const browser = await MovingBrowser.connect(PORTS);
  await browser.restartIce();
  await browser.peer.restartIce(createIceCredentials(), []);
  assert.equal(await browser.choosePath(), false);
  await browser.restartIce();
  assert.equal(await browser.choosePath(), true);
  await browser.talk("at last");
  await browser.close();
});

test("ICE is not restarted if connections share one port", async () => {
  const port = PORTS.last + 1;
  const browser = await MovingBrowser.connect({ first: port, last: port });
  await assert.rejects(browser.restartIce(), /connections share one port/);
  await browser.talk("all the same");
  await browser.close();
});

test("without a free port ICE is not restarted, and can be restarted later", async () => {
  const ports = { first: PORTS.last + 2, last: PORTS.last + 3 };
  const browser = await MovingBrowser.connect(ports);
  const taken = createSocket("udp6");
  const other = await new Promise<number>((resolve) => {
    taken.on("error", () => taken.bind(ports.last));
    taken.on("listening", () => resolve(taken.address().port));
    taken.bind(ports.first);
  });
  assert.ok(other >= ports.first);
  await assert.rejects(browser.restartIce(), /no port is free/);
  taken.close();
  await once(taken, "close");
  await browser.restartIce();
  assert.ok(await browser.choosePath());
  await browser.talk("with a port");
  await browser.close();
});
