import type { VoiceConversation } from "@parley/conversation";
import {
  DtmfReceiver,
  type MediaWheel,
  type PortPool,
  type RtpPacket,
  RtpSession,
  type RtpSessionOptions,
  type WheelHandle,
} from "@parley/rtp";
import type { CallScope } from "../../platform/call-scope.ts";
import { RTP_CLOCK_RATE_HZ } from "../audio-codec.ts";
import { IncomingAudio } from "./incoming-audio.ts";
import { Keypad } from "./keypad.ts";
import { DueFrames } from "../due-frames.ts";
import type { MediaPath, MediaStatistics } from "../media-protocol.ts";
import { OutgoingAudio } from "./outgoing-audio.ts";
import type { CallAudioTap } from "../recording/recording-spool.ts";
import { SpeakingWatch } from "../speaking-watch.ts";

const FRAME_MS = 20;
const FRAME_UNITS = (FRAME_MS * RTP_CLOCK_RATE_HZ) / 1000;
/** The conversation starts with the caller's first packet, which reveals its address behind NAT, or after this time. */
const FIRST_PACKET_DEADLINE_MS = 500;
/**
 * Frames sent to the SDP's address before the caller has proved that it is there. A forged INVITE may name a third party, to
 * whom one datagram would otherwise direct 32 s of audio (64*T1, RFC 3261 §17.2.1).
 */
const UNCONFIRMED_FRAMES = 100;
const DTMF_EXPIRY_TICKS = 5;
/** Interval of the check for a silent peer. */
const TIMEOUT_CHECK_TICKS = 50;
/** If checks are further apart than this, this process was stalled and could not read the peer's packets. */
const STALL_MS = 2 * TIMEOUT_CHECK_TICKS * FRAME_MS;
/** Longest silence of a peer that has put us on hold. Telephone switches allow as much. */
const HOLD_TIMEOUT_MS = 30 * 60_000;

export interface PhoneMediaOptions {
  /** Local IP address of the RTP socket, and the range of its port. */
  address: string;
  ports: PortPool;
  wheel: MediaWheel;
  /** Catches exceptions from the handling of packets and frames. */
  scope: CallScope;
  conversation: VoiceConversation;
  /** Sample rate of the conversation's audio. */
  sampleRateHz: 8000 | 16000;
  /** Time without RTP and RTCP after which the peer counts as gone. `Infinity` disables the check. */
  timeoutMs: number;
  /** Called once when the peer counts as gone. */
  onTimeout: (silentMs: number) => void;
  /** Records the call. */
  tap?: CallAudioTap | undefined;
}

/**
 * Media of one phone call: connects RTP with a voice conversation. Every 20 ms it passes one frame in and sends one, silence
 * included, which keeps NAT bindings and the carrier's media timers alive. While the peer holds the call, the conversation
 * pauses, including its clock.
 */
export class PhoneMedia {
  readonly #options: PhoneMediaOptions;
  readonly #conversation: VoiceConversation;
  readonly #session: RtpSession;
  readonly #wheelHandle: WheelHandle;
  readonly #incoming: IncomingAudio;
  readonly #outgoing: OutgoingAudio;
  readonly #speakingWatch: SpeakingWatch;
  readonly #dtmf: DtmfReceiver;
  readonly #keypad: Keypad;
  readonly #frame: Int16Array;
  readonly #dueFrames = new DueFrames();
  #path: MediaPath | undefined;
  #isAnswered = false;
  #startDeadlineMs = Infinity;
  #isStarted = false;
  #isConfirmed = false;
  #unconfirmedFrames = 0;
  /** Tick of the first packet. */
  #firstTick: number | undefined;
  /** Start of the time in which the peer must send, or resume the call. */
  #expectedSinceMs: number | undefined;
  #silenceCheckedAtMs = -Infinity;
  #hasTimedOut = false;

  /** @throws Error if no port is free. */
  static async open(options: PhoneMediaOptions): Promise<PhoneMedia> {
    let receive: RtpSessionOptions["onPacket"] = () => {};
    const session = await RtpSession.open({
      address: options.address,
      ports: options.ports,
      payloadTypes: [],
      onPacket: options.scope.guard((packet, arrivalMs) => receive(packet, arrivalMs)),
      onError: (error) => options.scope.fail(error),
    });
    const media = new PhoneMedia(session, options);
    receive = (packet, arrivalMs) => media.#receive(packet, arrivalMs);
    return media;
  }

  private constructor(session: RtpSession, options: PhoneMediaOptions) {
    const { conversation, sampleRateHz, scope, wheel, tap } = options;
    this.#options = options;
    this.#conversation = conversation;
    this.#session = session;
    this.#incoming = new IncomingAudio(sampleRateHz, tap);
    this.#frame = new Int16Array((FRAME_MS * sampleRateHz) / 1000);
    this.#outgoing = new OutgoingAudio(
      sampleRateHz,
      ({ payload, timestamp, marker }) =>
        session.send(payload, this.#path?.payloadType ?? 0, timestamp, marker),
      tap,
    );
    this.#speakingWatch = new SpeakingWatch(conversation);
    this.#dtmf = new DtmfReceiver({
      clockRateHz: RTP_CLOCK_RATE_HZ,
      onDigit: ({ digit }) => conversation.dtmf(digit),
    });
    this.#keypad = new Keypad({
      sampleRateHz,
      onPress: (keys, durationMs) => conversation.noteSentKeys(keys, durationMs),
    });
    this.#wheelHandle = wheel.add(scope.guard((dueMs, tick) => this.#tick(dueMs, tick)));
  }

  /** Local UDP port. */
  get port(): number {
    return this.#session.port;
  }

  /** Applies the result of an offer/answer exchange, the first or a later one. */
  connect(path: MediaPath): void {
    const { codec, payloadType, telephoneEventPayloadType, ptimeMs, rtcp, isRtcpMultiplexed, srtp } = path;
    this.#path = path;
    // The exchange may change whether the peer must send.
    this.#expectedSinceMs = undefined;
    const payloadTypes = this.#incoming.connect(codec, payloadType, telephoneEventPayloadType);
    this.#outgoing.connect(codec, ptimeMs);
    this.#session.negotiate(path.remote, payloadTypes, { rtcp, isRtcpMultiplexed, srtp });
  }

  /** Starts the conversation: the call is answered. */
  start(): void {
    this.#isAnswered = true;
  }

  /** The peer has acknowledged the answer: its address is not forged. */
  confirm(): void {
    this.#isConfirmed = true;
  }

  /** Takes a key that arrived by INFO. If RFC 4733 events were negotiated, the INFO is ignored: the peer sends both. */
  hearKey(digit: string): void {
    if (this.#path?.telephoneEventPayloadType === undefined) this.#conversation.dtmf(digit);
  }

  /** Presses keys once the agent is silent. Resolves when all are sent. See `Keypad`. */
  async press(keys: string, signal: AbortSignal): Promise<void> {
    await this.#keypad.press(keys, signal);
  }

  get statistics(): MediaStatistics {
    const { received, sent, roundTripMs } = this.#session.statistics;
    const { late, targetDelayMs } = this.#incoming.counters;
    return {
      codec: this.#path?.codec,
      srtpSuite: this.#path?.srtp?.suite,
      received: { ...received, late },
      packetsSent: this.#session.packetsSent,
      sent,
      roundTripMs,
      playoutDelayMs: targetDelayMs,
      ptimeMs: this.#path?.ptimeMs ?? FRAME_MS,
    };
  }

  /** Idempotent. Does not close the conversation. */
  close(): void {
    this.#wheelHandle.remove();
    this.#session.close();
  }

  #receive(packet: RtpPacket, arrivalMs: number): void {
    // Ignore early media: it is not the callee.
    if (!this.#isAnswered) return;
    if (packet.payloadType === this.#path?.telephoneEventPayloadType) this.#dtmf.receive(packet, arrivalMs);
    this.#incoming.push(packet, arrivalMs);
  }

  #tick(dueMs: number, tick: number): void {
    const path = this.#path;
    if (path === undefined || !this.#isAnswered) return;
    if (!this.#isStarted) this.#startWhenHeard(dueMs);
    if (tick % DTMF_EXPIRY_TICKS === 0) this.#dtmf.expire(dueMs);
    if (tick % TIMEOUT_CHECK_TICKS === 0) this.#noticeSilence(dueMs, path);
    // The conversation pauses: a caller whose ACK is late hears the whole greeting.
    if (!this.#maySend()) return this.#standStill(tick);
    this.#session.report(dueMs);
    // On hold: incoming audio is hold music at most.
    if (!path.isSending) return this.#standStill(tick);
    this.#firstTick ??= tick;
    const timestamp = (tick - this.#firstTick) * FRAME_UNITS;
    for (let frames = this.#dueFrames.at(tick); frames > 0; frames--) {
      const agoMs = (frames - 1) * FRAME_MS;
      this.#incoming.read(this.#frame, dueMs - agoMs, timestamp - (frames - 1) * FRAME_UNITS);
      this.#conversation.hear(this.#frame);
    }
    // RFC 3550 §5.1: the timestamp also advances over ticks that the wheel dropped. Otherwise the peer would count all
    // later packets as late for the rest of the call.
    if (this.#keypad.isSending) return this.#sendKeys(timestamp, path);
    this.#speakingWatch.check(this.#session.packetsSent);
    const frame = this.#conversation.nextFrame();
    this.#speakingWatch.noteFrame(frame);
    this.#outgoing.write(frame, timestamp);
    this.#keypad.noticeFrame(frame === undefined, timestamp, path.telephoneEventPayloadType !== undefined);
  }

  #standStill(tick: number): void {
    this.#dueFrames.skip(tick);
    this.#conversation.standStill();
  }

  #maySend(): boolean {
    if (this.#isConfirmed || this.#session.lastReceivedAtMs !== undefined) return true;
    return this.#unconfirmedFrames++ < UNCONFIRMED_FRAMES;
  }

  #sendKeys(timestamp: number, { telephoneEventPayloadType }: MediaPath): void {
    const frame = this.#keypad.next(timestamp);
    if (frame.type === "audio") return this.#outgoing.write(frame.pcm, timestamp);
    // A re-INVITE has removed telephone events while some were being sent.
    if (telephoneEventPayloadType === undefined) return;
    const { payload, timestamp: beganAt, marker } = frame.packet;
    this.#session.send(payload, telephoneEventPayloadType, beganAt, marker);
  }

  #startWhenHeard(nowMs: number): void {
    this.#startDeadlineMs = Math.min(this.#startDeadlineMs, nowMs + FIRST_PACKET_DEADLINE_MS);
    // Without a destination the audio would be lost.
    const isDue = nowMs >= this.#startDeadlineMs && this.#session.destination !== undefined;
    if (this.#session.lastReceivedAtMs === undefined && !isDue) return;
    this.#isStarted = true;
    this.#conversation.start();
  }

  #noticeSilence(nowMs: number, path: MediaPath): void {
    // After a stall of this process the peer's packets are still unread: its silence is measured anew.
    if (nowMs - this.#silenceCheckedAtMs > STALL_MS) this.#expectedSinceMs = undefined;
    this.#silenceCheckedAtMs = nowMs;
    this.#expectedSinceMs ??= nowMs;
    const silentMs = nowMs - Math.max(this.#expectedSinceMs, this.#session.lastActivityAtMs ?? -Infinity);
    const isHeld = !path.isSending || !path.isReceiving;
    const limitMs = isHeld ? Math.max(HOLD_TIMEOUT_MS, this.#options.timeoutMs) : this.#options.timeoutMs;
    if (this.#hasTimedOut || silentMs < limitMs) return;
    this.#hasTimedOut = true;
    this.#options.onTimeout(silentMs);
  }
}
