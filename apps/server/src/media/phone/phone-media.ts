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
/** The conversation begins with the caller's first packet, which shows where a NAT lets our audio in, or after this. */
const FIRST_PACKET_DEADLINE_MS = 500;
/**
 * Frames sent to the address of an SDP before the caller has shown that it is there. An INVITE may be forged, and its SDP name
 * a third party, whom 32 s of audio would reach (RFC 3261: 64*T1) for one datagram.
 */
const UNCONFIRMED_FRAMES = 100;
const DTMF_EXPIRY_TICKS = 5;
/** How often a silent peer is looked for. */
const TIMEOUT_CHECK_TICKS = 50;
/** Checks further apart than this show that this process was stalled, and could not have heard the peer. */
const STALL_MS = 2 * TIMEOUT_CHECK_TICKS * FRAME_MS;
/** A peer that has put us on hold may be silent for longer, but not for ever: this is what telephone switches allow. */
const HOLD_TIMEOUT_MS = 30 * 60_000;

export interface PhoneMediaOptions {
  /** Local IP address of the RTP socket, and the ports to take one from. */
  address: string;
  ports: PortPool;
  wheel: MediaWheel;
  /** Gets what handling packets and frames throws. */
  scope: CallScope;
  conversation: VoiceConversation;
  /** Of the conversation's audio. */
  sampleRateHz: 8000 | 16000;
  /** How long the peer may send neither RTP nor RTCP while it should; Infinity: for ever. */
  timeoutMs: number;
  /** Called once when it has been silent for that long. */
  onTimeout: (silentMs: number) => void;
  /** Gets what is heard and said. */
  tap?: CallAudioTap | undefined;
}

/**
 * The media of one phone call: RTP on one side, a voice conversation on the other. Every 20 ms it hears one frame and makes
 * one, silence included, so that NAT bindings and the carrier's media timers stay alive. While the peer holds the call the
 * conversation stands still, its clock included.
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
  /** Since when the peer is expected to send, or to resume. */
  #expectedSinceMs: number | undefined;
  #silenceCheckedAtMs = -Infinity;
  #hasTimedOut = false;

  /** @throws Error where no port can be had. */
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

  /** What an offer and answer settled, at first and again whenever the peer changes it. */
  connect(path: MediaPath): void {
    const { codec, payloadType, telephoneEventPayloadType, ptimeMs, rtcp, isRtcpMultiplexed, srtp } = path;
    this.#path = path;
    // Whether the peer has to send may have changed with it.
    this.#expectedSinceMs = undefined;
    const payloadTypes = this.#incoming.connect(codec, payloadType, telephoneEventPayloadType);
    this.#outgoing.connect(codec, ptimeMs);
    this.#session.negotiate(path.remote, payloadTypes, { rtcp, isRtcpMultiplexed, srtp });
  }

  /** The call is answered. */
  start(): void {
    this.#isAnswered = true;
  }

  /** The peer has acknowledged the answer, so what is sent to it reaches somebody who called. */
  confirm(): void {
    this.#isConfirmed = true;
  }

  /** The peer pressed a key, by INFO. Who has telephone events as well sends both, and is heard by those. */
  hearKey(digit: string): void {
    if (this.#path?.telephoneEventPayloadType === undefined) this.#conversation.dtmf(digit);
  }

  /** Presses keys once the agent is silent; resolves when all were sent. See `Keypad`. */
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

  /** Idempotent. The conversation is its owner's to close. */
  close(): void {
    this.#wheelHandle.remove();
    this.#session.close();
  }

  #receive(packet: RtpPacket, arrivalMs: number): void {
    // What a network plays while it rings is not for the conversation: it is no callee.
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
    // The conversation waits, and goes on where it was: a caller whose ACK is late hears all of the greeting.
    if (!this.#maySend()) return this.#standStill(tick);
    this.#session.report(dueMs);
    // Held: what comes is music if anything, and nobody is there to hear.
    if (!path.isSending) return this.#standStill(tick);
    this.#firstTick ??= tick;
    const timestamp = (tick - this.#firstTick) * FRAME_UNITS;
    for (let frames = this.#dueFrames.at(tick); frames > 0; frames--) {
      const agoMs = (frames - 1) * FRAME_MS;
      this.#incoming.read(this.#frame, dueMs - agoMs, timestamp - (frames - 1) * FRAME_UNITS);
      this.#conversation.hear(this.#frame);
    }
    // RFC 3550 §5.1: the timestamp goes on with the time also over ticks that the wheel had to drop. Else all that
    // follows them would count as late at the other side, for the rest of the call.
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
    // A peer that takes events no more has said so in the middle of them.
    if (telephoneEventPayloadType === undefined) return;
    const { payload, timestamp: beganAt, marker } = frame.packet;
    this.#session.send(payload, telephoneEventPayloadType, beganAt, marker);
  }

  #startWhenHeard(nowMs: number): void {
    this.#startDeadlineMs = Math.min(this.#startDeadlineMs, nowMs + FIRST_PACKET_DEADLINE_MS);
    // Until it is known where audio goes, nobody would hear it.
    const isDue = nowMs >= this.#startDeadlineMs && this.#session.destination !== undefined;
    if (this.#session.lastReceivedAtMs === undefined && !isDue) return;
    this.#isStarted = true;
    this.#conversation.start();
  }

  #noticeSilence(nowMs: number, path: MediaPath): void {
    // After a stall of ours the peer's packets wait to be read: it has its whole time again.
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
