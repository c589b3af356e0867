import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { decodePcmu, encodePcmu } from "@parley/audio";
import { CallDriver, type CallDriverOptions, tone } from "@parley/conversation/testing";
import { parseRtp, writeRtp } from "@parley/rtp";
import { seededRandom } from "@parley/testing";
import type { MediaPath } from "./media-protocol.ts";
import type { PhoneMedia } from "./phone/phone-media.ts";
import { FRAME_MS, openPhoneLeg, type PhoneLeg } from "./testing/phone-leg.ts";

const PORTS = { first: 34_500, last: 34_599 };
const FRAME_UNITS = 160;
/** Longest audio of a packet that a peer may request. */
const MAX_PACKET_MS = 60;
/** Maximum time until the watch notices that no packet leaves. */
const NOTICED_WITHIN_MS = 200 + MAX_PACKET_MS + FRAME_MS;
/** The network refuses what is sent there (EACCES): a broadcast address, which a peer may name by mistake. */
const REFUSED = "255.255.255.255";
const AUDIBLE_PEAK = 500;
const SILENCE = new Int16Array(FRAME_UNITS);
const SPEECH = tone(FRAME_MS, 8000, 6000);

/** A call whose peer talks and listens, and that is watched for what it shows meanwhile. */
class Leg {
  readonly driver: CallDriver;
  readonly media: PhoneMedia;
  /** Frames of 20 ms with sound in them that the peer has received, and in which tick. */
  readonly heard: number[] = [];
  ticks = 0;
  /** Whether the agent was shown as speaking during the tick, for each tick. */
  readonly shown: boolean[] = [];
  /** Packets of audio that the peer has received. */
  received = 0;
  readonly #leg: PhoneLeg;
  #path: MediaPath;
  #sequenceNumber = 0;

  static async open(context: TestContext, options: CallDriverOptions): Promise<Leg> {
    const leg = await openPhoneLeg({ ports: PORTS, driver: new CallDriver(options) });
    context.after(leg.close);
    return new Leg(leg);
  }

  private constructor(leg: PhoneLeg) {
    this.driver = leg.driver;
    this.media = leg.media;
    this.#leg = leg;
    this.#path = leg.path;
    leg.peer.on("message", (datagram) => this.#receive(datagram));
  }

  /** Applies the result of an offer and answer. */
  connect(change: Partial<MediaPath> = {}): void {
    this.#path = { ...this.#path, ...change };
    this.media.connect(this.#path);
  }

  /** Packets leave no more: the peer has named an address to which nothing can be sent. */
  async cut(): Promise<void> {
    // A packet still on its way from the peer would reveal the peer's real address.
    for (let turns = 0; turns < 5; turns++) await setImmediate();
    this.media.connect({ ...this.#path, remote: { address: REFUSED, port: 9 } });
  }

  /** 20 ms of the call: the peer says something, and its conversation and packets come up to date. */
  async tick(pcm: Int16Array | undefined): Promise<void> {
    const wasShown = this.isShownSpeaking;
    await this.driver.clock.advance(FRAME_MS);
    if (pcm !== undefined) await this.#say(pcm);
    const sentBefore = this.media.statistics.packetsSent;
    const receivedBefore = this.received;
    this.#leg.scheduler.jump(FRAME_MS);
    await setImmediate();
    // The loopback loses nothing: what was taken arrives, at once as a rule.
    const expected = this.media.statistics.packetsSent - sentBefore;
    for (let turns = 0; this.received - receivedBefore < expected; turns++) {
      assert.ok(turns < 10_000, "a packet that was sent has not arrived");
      await setImmediate();
    }
    this.shown.push(wasShown || this.isShownSpeaking);
    this.ticks++;
  }

  /** For how long the agent has been shown as speaking without a sound that the peer has received. */
  get unprovenMs(): number {
    if (!this.isShownSpeaking) return 0;
    const since = Math.max(this.shown.lastIndexOf(false), this.heard.at(-1) ?? -1);
    return (this.ticks - 1 - since) * FRAME_MS;
  }

  async pass(durationMs: number, pcm: Int16Array | undefined): Promise<void> {
    for (let ms = 0; ms < durationMs; ms += FRAME_MS) await this.tick(pcm);
  }

  async until(condition: () => boolean): Promise<void> {
    for (let ticks = 0; !condition(); ticks++) {
      assert.ok(ticks < 1_000, "still waiting after 20 s of the call");
      await this.tick(SILENCE);
    }
  }

  get isShownSpeaking(): boolean {
    return this.driver.state === "speaking" && this.driver.end === undefined;
  }

  get lostMs(): number[] {
    return this.driver.events.flatMap((event) => (event.type === "audioLost" ? [event.lostMs] : []));
  }

  async #say(pcm: Int16Array): Promise<void> {
    const payload = new Uint8Array(FRAME_UNITS);
    encodePcmu(pcm, payload);
    const sequenceNumber = this.#sequenceNumber++ & 0xffff;
    const timestamp = sequenceNumber * FRAME_UNITS;
    const packet = writeRtp({ payload, payloadType: 0, sequenceNumber, timestamp, ssrc: 7, marker: false });
    await new Promise((resolve) => this.#leg.peer.send(packet, this.media.port, "127.0.0.1", resolve));
    await setImmediate();
  }

  #receive(datagram: Uint8Array): void {
    const packet = parseRtp(datagram);
    if (packet === undefined || packet.payloadType !== 0) return;
    this.received++;
    for (let start = 0; start < packet.payload.length; start += FRAME_UNITS) {
      const pcm = new Int16Array(FRAME_UNITS);
      decodePcmu(packet.payload.subarray(start, start + FRAME_UNITS), pcm);
      if (pcm.some((sample) => Math.abs(sample) > AUDIBLE_PEAK)) this.heard.push(this.ticks);
    }
  }
}

test("an agent whose packets cannot be sent is not shown as speaking, and its transcript ends with what was sent", async (context) => {
  const text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
  const leg = await Leg.open(context, { agent: { firstMessage: text } });
  leg.driver.tts.sendsWordTimings = true;
  leg.connect();
  leg.media.start();
  await leg.until(() => leg.isShownSpeaking);
  await leg.pass(1_500, SILENCE);
  assert.ok(leg.isShownSpeaking);
  const sentMs = leg.heard.length * FRAME_MS;
  await leg.cut();
  // The peer is silent: a packet of it would reveal its real address.
  await leg.pass(NOTICED_WITHIN_MS, undefined);
  assert.equal(leg.heard.length * FRAME_MS, sentMs, "nothing arrives from the cut on");
  assert.equal(leg.driver.state, "listening");
  assert.deepEqual(
    leg.lostMs.map((ms) => ms >= 200 && ms <= NOTICED_WITHIN_MS),
    [true],
  );
  const [item] = leg.driver.items;
  assert.ok(item?.type === "message" && item.interrupted === undefined);
  const wordsSent = text.slice(0, Math.floor(sentMs / leg.driver.tts.msPerCharacter)).split(" ").length;
  const wordsSaid = item.text.split(" ").length;
  assert.ok(Math.abs(wordsSaid - wordsSent) <= 1, `${wordsSaid} words of ${wordsSent} that were sent`);
  assert.ok(text.startsWith(item.text));
});

test("a call continues once packets can be sent again", async (context) => {
  const leg = await Leg.open(context, {
    agent: { firstMessage: "Good morning, what can I do for you today?" },
    replies: ["We are open until five."],
  });
  leg.connect();
  leg.media.start();
  await leg.until(() => leg.isShownSpeaking);
  await leg.cut();
  await leg.pass(NOTICED_WITHIN_MS, undefined);
  assert.equal(leg.lostMs.length, 1);
  leg.connect();
  leg.driver.stt.hearWords("when are you open");
  await leg.pass(800, SPEECH);
  await leg.until(() => leg.isShownSpeaking);
  await leg.until(() => !leg.isShownSpeaking);
  assert.equal(leg.driver.transcript.at(-1), "agent: We are open until five.");
  assert.equal(leg.lostMs.length, 1);
});

test("on hold the agent is not shown as speaking, and afterwards continues the sentence", async (context) => {
  const text = "Good morning, what can I do for you today?";
  const leg = await Leg.open(context, { agent: { firstMessage: text } });
  leg.connect();
  leg.media.start();
  await leg.until(() => leg.isShownSpeaking);
  leg.connect({ isSending: false });
  await leg.pass(2_000, SILENCE);
  assert.equal(leg.isShownSpeaking, false);
  leg.connect({ isSending: true });
  await leg.tick(SILENCE);
  assert.equal(leg.isShownSpeaking, true);
  await leg.until(() => !leg.isShownSpeaking);
  assert.deepEqual(leg.driver.transcript, [`agent: ${text}`]);
  assert.deepEqual(leg.lostMs, []);
});

const REPLIES = [
  "Yes.",
  "We are open until five, and on Saturdays until noon.",
  "One moment please. I am having a look at that. It will not take long, I promise you.",
];

/** Events in a part of a random call. */
async function passRandomly(leg: Leg, random: () => number): Promise<void> {
  const durationMs = 60 + random() * 1_400;
  const what = random();
  if (what < 0.45) {
    leg.driver.stt.hearWords("tell me more about that");
    await watched(leg, durationMs, SPEECH);
  } else if (what < 0.7) await watched(leg, durationMs, SILENCE);
  else if (what < 0.8) await watched(leg, durationMs, SPEECH);
  else if (what < 0.9) {
    await leg.cut();
    await watched(leg, durationMs, undefined);
    leg.connect();
  } else {
    leg.connect({ isSending: false });
    await watched(leg, durationMs, SILENCE);
    leg.connect({ isSending: true });
  }
  if (random() < 0.1) leg.connect({ ptimeMs: [20, 40, 60][Math.floor(random() * 3)] ?? 20 });
}

/** After each tick, what is shown agrees with what the peer has received. */
async function watched(leg: Leg, durationMs: number, pcm: Int16Array | undefined): Promise<void> {
  for (let ms = 0; ms < durationMs && leg.driver.end === undefined; ms += FRAME_MS) {
    const heardBefore = leg.heard.length;
    await leg.tick(pcm);
    assert.ok(leg.unprovenMs <= NOTICED_WITHIN_MS, `shown as speaking, and silent for ${leg.unprovenMs} ms`);
    if (leg.heard.length === heardBefore) continue;
    // A packet may be as old as it is long.
    const recently = leg.shown.slice(-1 - MAX_PACKET_MS / FRAME_MS);
    assert.ok(recently.includes(true), `heard in tick ${leg.ticks}, and not shown as speaking`);
  }
}

for (let seed = 1; seed <= 12; seed++) {
  test(`after any events of a call, "speaking" agrees with the packets that the peer receives (seed ${seed})`, async (context) => {
    const random = seededRandom(seed);
    const leg = await Leg.open(context, {
      agent: {
        firstMessage: random() < 0.7 ? "Hello, how can I help you today?" : "",
        disableInterruptions: random() < 0.2,
        turnTimeoutSeconds: 3,
        silenceEndCallTimeoutSeconds: 60,
      },
      replies: Array.from({ length: 100 }, () => REPLIES[Math.floor(random() * REPLIES.length)] ?? "Yes."),
    });
    leg.driver.tts.sendsWordTimings = random() < 0.5;
    for (let i = 0; i < 20; i++) leg.driver.tts.behaviors.push(random() < 0.1 ? "stallAfterAudio" : "ok");
    leg.connect();
    leg.media.start();
    while (leg.ticks < 2_000 && leg.driver.end === undefined) await passRandomly(leg, random);
    assert.ok(leg.heard.length > 50, `the agent was heard in ${leg.heard.length} frames`);
  });
}
