import { Audio, type DataChannel, PeerConnection, type Track } from "node-datachannel";
import {
  isRtcp,
  type MediaWheel,
  parseRtp,
  type WheelHandle,
  writeRtp,
} from "../../packages/rtp/src/index.ts";
import type { ArrivalRecorder } from "../calls/arrivals.ts";
import type { Frames } from "../calls/speech.ts";
import type { OpusSpeech } from "./opus-speech.ts";

const PAYLOAD_TYPE = 111;
const FRAME_UNITS = 960;
const CONNECT_DEADLINE_MS = 10_000;
/** Time for the greeting before the first words: 3 s. */
const LISTENING_FIRST_TICKS = 150;
/** Frames of silence per frame of speech: 40 % of the time is speech. */
const SILENCE_PER_SPEECH = 1.5;

export interface BrowserParts {
  wheel: MediaWheel;
  speech: OpusSpeech;
  random: () => number;
  ssrc: number;
}

/** Acts like a browser in a call: sends an offer by WHIP, speaks by turns, and measures the arrival of packets. */
export class BenchBrowser {
  readonly #parts: BrowserParts;
  readonly #connection = new PeerConnection("bench", { iceServers: [], disableAutoNegotiation: true });
  readonly #track: Track;
  /** Referenced so that it is not garbage-collected. */
  readonly #channel: DataChannel;
  #wheelHandle: WheelHandle | undefined;
  #recorder: ArrivalRecorder | undefined;
  #utterance: Frames | undefined;
  #position = 0;
  #silentTicks: number;
  #ticks = 0;
  #utterances = 0;
  #events = 0;
  #isFinishing = false;

  constructor(parts: BrowserParts) {
    this.#parts = parts;
    this.#silentTicks = LISTENING_FIRST_TICKS + Math.floor(parts.random() * 400);
    const audio = new Audio("0", "SendRecv");
    audio.addOpusCodec(PAYLOAD_TYPE);
    audio.addSSRC(parts.ssrc, "bench", "bench", "bench");
    this.#track = this.#connection.addTrack(audio);
    this.#track.onMessage((datagram) => this.#hear(datagram));
    this.#channel = this.#connection.createDataChannel("parley");
    this.#channel.onMessage(() => (this.#events += 1));
  }

  /** Number of complete utterances. */
  get utterances(): number {
    return this.#utterances;
  }

  /** Number of received live events. */
  get events(): number {
    return this.#events;
  }

  get isConnected(): boolean {
    return this.#track.isOpen();
  }

  /** Resolves when audio flows; rejects if it does not. */
  async join(url: string, token: string): Promise<void> {
    const { promise: gathered, resolve } = Promise.withResolvers<void>();
    this.#connection.onGatheringStateChange((state) => {
      if (state === "complete") resolve();
    });
    const { promise: open, resolve: opened, reject } = Promise.withResolvers<void>();
    this.#track.onOpen(opened);
    const deadline = setTimeout(() => reject(new Error("not connected in time")), CONNECT_DEADLINE_MS);
    try {
      this.#connection.setLocalDescription("offer");
      await Promise.race([gathered, open]);
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/sdp" },
        body: this.#connection.localDescription()?.sdp ?? "",
      });
      if (response.status !== 201) throw new Error(`WHIP: ${response.status} ${await response.text()}`);
      const answer = await response.text();
      // See web-sdp.ts.
      this.#connection.setRemoteDescription(answer.replaceAll("a=end-of-candidates\r\n", ""), "answer");
      await open;
    } finally {
      clearTimeout(deadline);
    }
    this.#wheelHandle = this.#parts.wheel.add(() => this.#speak());
  }

  /** Records arrivals to `recorder` from now on. */
  recordTo(recorder: ArrivalRecorder | undefined): void {
    this.#recorder = recorder;
  }

  /** Starts no new sentence. */
  finish(): void {
    this.#isFinishing = true;
  }

  get isDone(): boolean {
    return this.#utterance === undefined && this.#silentTicks <= 0;
  }

  close(): void {
    this.#wheelHandle?.remove();
    this.#connection.close();
  }

  #speak(): void {
    const index = this.#ticks++;
    const payload = this.#nextPacket(index);
    if (payload === undefined || !this.#track.isOpen()) return;
    const datagram = writeRtp({
      payload,
      payloadType: PAYLOAD_TYPE,
      sequenceNumber: index & 0xffff,
      timestamp: (index * FRAME_UNITS) >>> 0,
      ssrc: this.#parts.ssrc,
      marker: false,
    });
    this.#track.sendMessageBinary(Buffer.from(datagram));
  }

  #nextPacket(index: number): Uint8Array | undefined {
    const { speech, random } = this.#parts;
    const { utterances, noise } = speech;
    if (this.#utterance === undefined && this.#silentTicks <= 0 && !this.#isFinishing) {
      this.#utterance = utterances[Math.floor(random() * utterances.length)];
      this.#position = 0;
    }
    const packet = this.#utterance?.[this.#position++];
    if (packet === undefined) {
      this.#silentTicks--;
      return noise[index % noise.length];
    }
    if (this.#position === this.#utterance?.length) {
      this.#silentTicks = Math.round(SILENCE_PER_SPEECH * this.#position);
      this.#utterance = undefined;
      this.#utterances++;
    }
    return packet;
  }

  #hear(datagram: Uint8Array): void {
    if (this.#recorder === undefined || isRtcp(datagram)) return;
    const packet = parseRtp(datagram);
    if (packet !== undefined) this.#recorder.record(packet, performance.now());
  }
}
