import { decodePcma, decodePcmu, encodePcma, encodePcmu, LossConcealer } from "@parley/audio";
import type { VoiceConversation } from "@parley/conversation";
import {
  DtmfReceiver,
  JitterBuffer,
  type MediaWheel,
  type PortPool,
  type RtpPacket,
  RtpSession,
  type RtpSessionOptions,
  type WheelHandle,
} from "@parley/rtp";
import type { MediaPath, MediaStatistics } from "./media-protocol.ts";

const SAMPLE_RATE_HZ = 8000;
const FRAME_SAMPLES = 160;
/** A frame whose peak stays below this holds no speech: the jitter buffer may change its delay there unheard. */
const QUIET_PEAK = 300;
/** The conversation begins with the caller's first packet, which shows where a NAT lets our audio in, or after this. */
const FIRST_PACKET_DEADLINE_MS = 500;
const DTMF_EXPIRY_TICKS = 5;
const NO_AUDIO = new Int16Array(0);

const codecs = {
  PCMU: { decode: decodePcmu, encode: encodePcmu, silence: 0xff },
  PCMA: { decode: decodePcma, encode: encodePcma, silence: 0xd5 },
} as const;

export interface PhoneMediaOptions {
  /** Local IP address of the RTP socket, and the ports to take one from. */
  address: string;
  ports: PortPool;
  wheel: MediaWheel;
  conversation: VoiceConversation;
}

/**
 * The media of one phone call: G.711 over RTP on one side, a voice conversation on the other. Every 20 ms it hears one
 * frame and sends one, silence included, so that NAT bindings and the carrier's media timers stay alive.
 */
export class PhoneMedia {
  readonly #conversation: VoiceConversation;
  readonly #session: RtpSession;
  readonly #wheelHandle: WheelHandle;
  readonly #jitter = new JitterBuffer({
    clockRateHz: SAMPLE_RATE_HZ,
    samplesIn: (payload, payloadType) => (payloadType === this.#path?.payloadType ? payload.length : 0),
  });
  readonly #concealer = new LossConcealer(SAMPLE_RATE_HZ);
  readonly #dtmf: DtmfReceiver;
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  /** Packets of one frame are decoded into this, which `#pending` then shows. */
  readonly #decoded = new Int16Array(FRAME_SAMPLES);
  readonly #payload = new Uint8Array(FRAME_SAMPLES);
  /** Decoded audio that is not heard yet: what a packet longer than a frame leaves over. */
  #pending: Int16Array = NO_AUDIO;
  #path: MediaPath | undefined;
  #isAnswered = false;
  #startDeadlineMs = Infinity;
  #isStarted = false;
  #isQuiet = true;
  #wasSpeaking = false;
  /** Tick of the first packet. */
  #firstTick: number | undefined;

  /** @throws Error where no port can be had. */
  static async open({ address, ports, wheel, conversation }: PhoneMediaOptions): Promise<PhoneMedia> {
    let receive: RtpSessionOptions["onPacket"] = () => {};
    const session = await RtpSession.open({
      address,
      ports,
      payloadTypes: [],
      onPacket: (packet, arrivalMs) => receive(packet, arrivalMs),
    });
    const media = new PhoneMedia(session, wheel, conversation);
    receive = (packet, arrivalMs) => media.#receive(packet, arrivalMs);
    return media;
  }

  private constructor(session: RtpSession, wheel: MediaWheel, conversation: VoiceConversation) {
    this.#conversation = conversation;
    this.#session = session;
    this.#dtmf = new DtmfReceiver({
      clockRateHz: SAMPLE_RATE_HZ,
      onDigit: ({ digit }) => conversation.dtmf(digit),
    });
    this.#wheelHandle = wheel.add((dueMs, tick) => this.#tick(dueMs, tick));
  }

  /** Local UDP port. */
  get port(): number {
    return this.#session.port;
  }

  /** What an offer and answer settled, at first and again whenever the peer changes it. */
  connect(path: MediaPath): void {
    this.#path = path;
    const { payloadType, telephoneEventPayloadType: events } = path;
    this.#session.negotiate(path.remote, events === undefined ? [payloadType] : [payloadType, events]);
  }

  /** The call is answered. */
  start(): void {
    this.#isAnswered = true;
  }

  get statistics(): MediaStatistics {
    const { received, lost, late, jitterMs } = this.#jitter.counters;
    const packetsSent = this.#session.counters.sent;
    return { packetsReceived: received, packetsLost: lost, packetsLate: late, packetsSent, jitterMs };
  }

  /** Idempotent. The conversation is its owner's to close. */
  close(): void {
    this.#wheelHandle.remove();
    this.#session.close();
  }

  #receive(packet: RtpPacket, arrivalMs: number): void {
    if (packet.payloadType === this.#path?.telephoneEventPayloadType) this.#dtmf.receive(packet, arrivalMs);
    // Telephone events go in too: their sequence numbers are part of the stream.
    this.#jitter.push(packet, arrivalMs);
  }

  #tick(dueMs: number, tick: number): void {
    if (this.#path === undefined || !this.#isAnswered) return;
    if (!this.#isStarted) this.#startWhenHeard(dueMs);
    if (tick % DTMF_EXPIRY_TICKS === 0) this.#dtmf.expire(dueMs);
    this.#fillFrame(dueMs, this.#path);
    this.#conversation.hear(this.#frame);
    this.#send(this.#conversation.nextFrame(), this.#path, tick);
  }

  #startWhenHeard(nowMs: number): void {
    this.#startDeadlineMs = Math.min(this.#startDeadlineMs, nowMs + FIRST_PACKET_DEADLINE_MS);
    if (this.#session.lastReceivedAtMs === undefined && nowMs < this.#startDeadlineMs) return;
    this.#isStarted = true;
    this.#conversation.start();
  }

  /** Packets may be of any length; the conversation hears frames of 20 ms. */
  #fillFrame(nowMs: number, path: MediaPath): void {
    let filled = 0;
    while (filled < FRAME_SAMPLES) {
      if (this.#pending.length === 0) this.#pending = this.#nextAudio(nowMs, path);
      if (filled === 0 && this.#pending.length === FRAME_SAMPLES) {
        this.#frame.set(this.#pending);
        this.#pending = NO_AUDIO;
        break;
      }
      const taken = this.#pending.subarray(0, FRAME_SAMPLES - filled);
      if (taken.length === 0) {
        this.#frame.fill(0, filled);
        break;
      }
      this.#frame.set(taken, filled);
      filled += taken.length;
      this.#pending = this.#pending.subarray(taken.length);
    }
    this.#isQuiet = isQuiet(this.#frame);
  }

  /** Empty where nothing is to be expected. */
  #nextAudio(nowMs: number, path: MediaPath): Int16Array {
    const next = this.#jitter.pull(nowMs, this.#isQuiet);
    switch (next.kind) {
      case "frame": {
        const { decode } = codecs[path.codec];
        const isUsual = next.payload.length === FRAME_SAMPLES;
        const pcm = isUsual ? decode(next.payload, this.#decoded) : decode(next.payload);
        this.#concealer.good(pcm);
        return pcm;
      }
      case "lost":
        return this.#concealer.conceal(next.samples);
      case "idle":
        return NO_AUDIO;
    }
  }

  #send(pcm: Int16Array | undefined, path: MediaPath, tick: number): void {
    const codec = codecs[path.codec];
    if (pcm === undefined) this.#payload.fill(codec.silence);
    else codec.encode(pcm, this.#payload);
    // RFC 3551 §4.1: the marker shows the first packet of a talk spurt.
    const marker = pcm !== undefined && !this.#wasSpeaking;
    this.#wasSpeaking = pcm !== undefined;
    this.#firstTick ??= tick;
    // RFC 3550 §5.1: the timestamp goes on with the time also over ticks that the wheel had to drop. Else all that
    // follows them would count as late at the other side, for the rest of the call.
    const timestamp = (tick - this.#firstTick) * FRAME_SAMPLES;
    if (path.isSending) this.#session.send(this.#payload, path.payloadType, timestamp, marker);
  }
}

function isQuiet(frame: Int16Array): boolean {
  for (const sample of frame) if (sample > QUIET_PEAK || sample < -QUIET_PEAK) return false;
  return true;
}
