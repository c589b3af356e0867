/** Connections over real sockets, the browser's side by the same library. Real browsers: e2e/web/web-call.test.ts. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanup } from "node-datachannel";
import { writeRtp } from "@parley/rtp";
import { waitFor } from "@parley/testing";
import { connectPatiently, Offerer } from "../testing/offerer.ts";
import { CallScope } from "../../platform/call-scope.ts";
import { WebPeer } from "./web-peer.ts";
import { readOffer } from "./web-sdp.ts";

const PORT = 39_471;

after(() => cleanup());

interface Connected {
  name: string;
  offerer: Offerer;
  peer: WebPeer;
  received: string[];
  messages: unknown[];
  isDisconnected: () => boolean;
}

async function connect(name: string): Promise<Connected> {
  const offerer = new Offerer();
  const received: string[] = [];
  const messages: unknown[] = [];
  let isDisconnected = false;
  const peer: WebPeer = new WebPeer({
    scope: new CallScope((error) => assert.fail(String(error))),
    ports: { first: PORT, last: PORT },
    publicAddress: "203.0.113.9",
    ssrc: 4711,
    cname: "agent",
    onPacket: ({ payload }) => received.push(Buffer.from(payload).toString()),
    onRtcp: () => {},
    onConnected: () => {},
    onDisconnected: () => (isDisconnected = true),
    onChannel: () => peer.sendEvent(`hello ${name}`),
    onMessage: (message) => messages.push(message),
  });
  const reading = readOffer(await offerer.offer());
  assert.ok(reading.ok);
  const answer = await peer.answer(reading.offer);
  assert.match(answer, new RegExp(` 203\\.0\\.113\\.9 ${PORT} typ host`));
  try {
    offerer.accept(answer);
  } catch (error) {
    peer.close();
    offerer.close();
    throw error;
  }
  await offerer.open.promise;
  return { name, offerer, peer, received, messages, isDisconnected: () => isDisconnected };
}

test("two browsers on one port each have their own connection, its audio and its events", async () => {
  const calls = await Promise.all(
    ["one", "two"].map(async (name) => await connectPatiently(async () => await connect(name))),
  );
  for (const { name, offerer, peer, received, messages } of calls) {
    await waitFor("events", () => offerer.messages.includes(`hello ${name}`));
    offerer.write(`key of ${name}`);
    await waitFor("its message", () => messages.length > 0);
    assert.deepEqual(messages, [`key of ${name}`]);
    await waitFor("audio in", () => {
      offerer.say(`from ${name}`);
      return received.includes(`from ${name}`);
    });
    await waitFor("audio out", () => {
      const isSent = peer.send(
        writeRtp({
          payload: Buffer.from(`to ${name}`),
          payloadType: 111,
          sequenceNumber: 1,
          timestamp: 0,
          ssrc: 4711,
          marker: false,
        }),
      );
      assert.equal(isSent, true);
      return offerer.heard.length > 0;
    });
    assert.equal(offerer.heard[0], `to ${name}`);
    assert.ok(received.every((text) => text === `from ${name}`));
  }
  for (const { offerer, peer, isDisconnected } of calls) {
    offerer.close();
    await waitFor("the goodbye", isDisconnected);
    peer.close();
  }
  await sleep(600);
});

test("an offer that cannot be answered is only an error", async () => {
  const ignore = (): void => {};
  const peer = new WebPeer({
    scope: new CallScope((error) => assert.fail(String(error))),
    ports: { first: PORT, last: PORT },
    publicAddress: undefined,
    ssrc: 1,
    cname: "agent",
    onPacket: ignore,
    onRtcp: ignore,
    onConnected: ignore,
    onDisconnected: ignore,
    onChannel: ignore,
    onMessage: ignore,
  });
  await assert.rejects(peer.answer({ sdp: "v=0\r\nm=audio 9 X 1\r\n", audioMid: "0", opusPayloadType: 1 }));
  await peer.addCandidates([{ candidate: "a=candidate:nonsense", mid: "0" }]);
  await assert.rejects(peer.restartIce({ ufrag: "u", pwd: "p" }, []), /there is no connection/);
  assert.equal(peer.send(new Uint8Array(20)), false);
  peer.sendEvent("nobody");
  peer.close();
  peer.close();
  await sleep(600);
});
