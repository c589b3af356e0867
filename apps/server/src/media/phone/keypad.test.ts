import assert from "node:assert/strict";
import test from "node:test";
import { DtmfReceiver } from "@parley/rtp";
import { Keypad } from "./keypad.ts";

const FRAME_UNITS = 160;
const never = new AbortController().signal;

/** Outgoing side of a call, in frames of 20 ms. By default the agent is silent. */
class Line {
  readonly pressed: string[] = [];
  readonly keypad = new Keypad({ sampleRateHz: 8000, onPress: (keys) => this.pressed.push(keys) });
  takesEvents = true;
  isAgentSilent = true;
  /** Kind of each frame: the agent's audio, events, or tones (and whether they sound). */
  readonly sent: string[] = [];
  heard = "";
  #sequenceNumber = 0;
  readonly #receiver = new DtmfReceiver({ clockRateHz: 8000, onDigit: ({ digit }) => (this.heard += digit) });

  async run(frames: number): Promise<void> {
    for (let i = 0; i < frames; i++) {
      this.#tick(this.sent.length * FRAME_UNITS);
      await Promise.resolve();
    }
  }

  #tick(timestamp: number): void {
    if (!this.keypad.isSending) {
      this.sent.push("agent");
      this.keypad.noticeFrame(this.isAgentSilent, timestamp, this.takesEvents);
      return;
    }
    const frame = this.keypad.next(timestamp);
    if (frame.type === "audio") {
      this.sent.push(frame.pcm?.some((sample) => sample !== 0) === true ? "tone" : "silence");
      return;
    }
    this.sent.push("event");
    const packet = { ...frame.packet, payloadType: 101, sequenceNumber: this.#sequenceNumber++, ssrc: 1 };
    this.#receiver.receive(packet, (timestamp * 1000) / 8000);
  }

  count(kind: string): number {
    return this.sent.filter((each) => each === kind).length;
  }
}

test("keys are sent as events while the agent's audio pauses, and the press resolves when all are sent", async () => {
  const line = new Line();
  const pressed = line.keypad.press("12w#", never);
  await line.run(70);
  await pressed;
  assert.equal(line.heard, "12#");
  assert.deepEqual(line.pressed, ["12w#"]);
  // Seven packets a key; 1,100 ms from the first to the end of the last pause.
  assert.deepEqual([line.count("event"), line.count("event") + line.count("silence")], [21, 55]);
});

test("a peer without telephone events gets tones", async () => {
  const line = new Line();
  line.takesEvents = false;
  const pressed = line.keypad.press("1w2", never);
  await line.run(80);
  await pressed;
  assert.deepEqual([line.count("event"), line.count("tone"), line.count("silence")], [0, 10, 35]);
});

test("keys wait for the end of the agent's speech and for earlier keys", async () => {
  const line = new Line();
  line.isAgentSilent = false;
  const both = Promise.all([line.keypad.press("1", never), line.keypad.press("2", never)]);
  await line.run(100);
  assert.deepEqual([line.count("agent"), line.pressed], [100, []]);
  line.isAgentSilent = true;
  await line.run(60);
  await both;
  assert.equal(line.heard, "12");
});

test("aborted keys that have not begun are not sent", async () => {
  const line = new Line();
  const controller = new AbortController();
  line.isAgentSilent = false;
  const reason = new Error("no answer within 20 s");
  const refused = assert.rejects(line.keypad.press("1", controller.signal), (error) => error === reason);
  await line.run(10);
  controller.abort(reason);
  await refused;
  line.isAgentSilent = true;
  await line.run(60);
  assert.deepEqual([line.pressed, line.heard], [[], ""]);
  await assert.rejects(line.keypad.press("1", controller.signal), (error) => error === reason);
});
