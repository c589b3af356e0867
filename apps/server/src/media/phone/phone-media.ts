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
import type { AudioEnd } from "./audio-bridge.ts";
import { CallerKeys } from "./caller-keys.ts";
import { IncomingAudio } from "./incoming-audio.ts";
import { Keypad } from "./keypad.ts";
import { DueFrames } from "../due-frames.ts";
import type { MediaPath, MediaStatistics } from "../media-protocol.ts";
import { OutgoingAudio } from "./outgoing-audio.ts";
import type { CallAudioTap } from "../recording/recording-spool.ts";
import type { ConditionedLine } from "../tester/conditioned-line.ts";
import { SpeakingWatch } from "../speaking-watch.ts";
import { PeerSilence } from "./peer-silence.ts";

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
/** Longest silence of a peer that has put us on hold. Telephone switches allow as much. */
const HOLD_TIMEOUT_MS = 30 * 60_000;

/** The conversation of a call, as far as its media uses it. */
export type MediaConversation = AudioEnd &
  Pick<VoiceConversation, "start" | "standStill" | "noteSentKeys" | "loseAudio">;

export interface PhoneMediaOptions {
  /** Local IP address of the RTP socket, and the range of its port. */
  address: string;
  ports: PortPool;
  wheel: MediaWheel;
  /** Catches exceptions from the handling of packets and frames. */
  scope: CallScope;
  conversation: MediaConversation;
  /** Sample rate of the conversation's audio. */
  sampleRateHz: 8000 | 16000;
  /** Time without RTP and RTCP after which the peer counts as gone. `Infinity` disables the check. */
  timeoutMs: number;
  /** Called once when the peer counts as gone. */
  onTimeout: (silentMs: number) => void;
  /** Records the call. */
  tap?: CallAudioTap | undefined;
  /** Only for a tester who calls an agent of this node. */
  tester?: ConditionedLine | undefined;
}

type State =
  /** Ignores early media: it is not the callee. */
  | { name: "unanswered" }
  /** Waits for the caller's first packet until the deadline, which runs from the first tick with a path. */
  | { name: "answered"; startDeadlineMs: number | undefined }
  | { name: "talking" };

/**
 * Media of one phone call: connects RTP with a voice conversation. Every 20 ms it passes one frame in and sends one, silence
 * included, which keeps NAT bindings and the carrier's media timers alive. While the peer holds the call, the conversation
 * pauses, including its clock.
 */
export class PhoneMedia {
  readonly #options: PhoneMediaOptions;
  readonly #conversation: MediaConversation;
  readonly #session: RtpSession;
  readonly #wheelHandle: WheelHandle;
  readonly #incoming: IncomingAudio;
  readonly #outgoing: OutgoingAudio;
  readonly #speakingWatch: SpeakingWatch;
  readonly #dtmf: DtmfReceiver;
  readonly #callerKeys: CallerKeys;
  readonly #keypad: Keypad;
  readonly #frame: Int16Array;
  readonly #dueFrames = new DueFrames();
  readonly #peerSilence = new PeerSilence();
  #state: State = { name: "unanswered" };
  /** What the peer is connected with in place of the conversation, which stands still. */
  #diversion: AudioEnd | undefined;
  /** Result of the last offer/answer exchange; `undefined` before the first. */
  #path: MediaPath | undefined;
  /** Frames that may still be sent to a peer that has sent no packet. `Infinity` once its address is confirmed. */
  #framesUntilHeard = UNCONFIRMED_FRAMES;
  /** Tick of the first packet. */
  #firstTick: number | undefined;

  /** @throws Error if no port is free. */
  static async open(options: PhoneMediaOptions): Promise<PhoneMedia> {
    let receive: RtpSessionOptions["onPacket"] = () => {};
    const session = await RtpSession.open({
      address: options.address,
      ports: options.ports,
      payloadTypes: [],
      onPacket: options.scope.guard((packet, arrivalMs) => receive(packet, arrivalMs)),
      onError: (error) => options.scope.fail(error),
      isLost: options.tester && (() => options.tester?.losesPacket() === true),
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
    this.#callerKeys = new CallerKeys((digit) => (this.#diversion ?? conversation).dtmf(digit));
    this.#dtmf = new DtmfReceiver({
      clockRateHz: RTP_CLOCK_RATE_HZ,
      onDigit: ({ digit }) => this.#callerKeys.takeEvent(digit, performance.now()),
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
    if (this.#path !== undefined && path.remote.address !== this.#path.remote.address)
      this.#callerKeys.reset();
    this.#path = path;
    // The exchange may change whether the peer must send.
    this.#peerSilence.restart();
    const payloadTypes = this.#incoming.connect(codec, payloadType, telephoneEventPayloadType);
    this.#outgoing.connect(codec, ptimeMs);
    this.#session.negotiate(path.remote, payloadTypes, { rtcp, isRtcpMultiplexed, srtp });
  }

  /** Starts the conversation: the call is answered. */
  start(): void {
    if (this.#state.name === "unanswered") this.#state = { name: "answered", startDeadlineMs: undefined };
  }

  /** The peer has acknowledged the answer: its address is not forged. */
  confirm(): void {
    this.#framesUntilHeard = Infinity;
  }

  /** Takes a key that arrived by INFO. See `CallerKeys`. */
  hearKey(digit: string): void {
    this.#callerKeys.takeInfo(digit, performance.now());
  }

  /** Presses keys once the agent is silent. Resolves when all are sent. See `Keypad`. */
  async press(keys: string, signal: AbortSignal): Promise<void> {
    await this.#keypad.press(keys, signal);
  }

  /** Connects the peer with something else in place of the conversation, which stands still; `undefined` returns to it. */
  divert(end: AudioEnd | undefined): void {
    this.#diversion = end;
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
    if (this.#state.name === "unanswered") return;
    if (packet.payloadType === this.#path?.telephoneEventPayloadType) {
      this.#callerKeys.noticeEvent();
      this.#dtmf.receive(packet, arrivalMs);
    }
    this.#incoming.push(packet, arrivalMs);
  }

  #tick(dueMs: number, tick: number): void {
    const path = this.#path;
    const state = this.#state;
    if (path === undefined || state.name === "unanswered") return;
    if (state.name === "answered") this.#startWhenHeard(state, dueMs);
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
      this.#options.tester?.hear(this.#frame);
      if (this.#diversion === undefined) this.#conversation.hear(this.#frame);
      else this.#hearDiverted(this.#diversion);
    }
    // RFC 3550 §5.1: the timestamp also advances over ticks that the wheel dropped. Otherwise the peer would count all
    // later packets as late for the rest of the call.
    if (this.#keypad.isSending) return this.#sendKeys(timestamp, path);
    this.#speakingWatch.check(this.#session.packetsSent);
    const frame = (this.#diversion ?? this.#conversation).nextFrame();
    this.#speakingWatch.noteFrame(this.#diversion === undefined ? frame : undefined);
    this.#outgoing.write(this.#options.tester?.say(frame) ?? frame, timestamp);
    // Keys that one person presses for another do not wait for silence.
    const isSilent = frame === undefined || this.#diversion !== undefined;
    this.#keypad.noticeFrame(isSilent, timestamp, path.telephoneEventPayloadType !== undefined);
  }

  #hearDiverted(end: AudioEnd): void {
    end.hear(this.#frame);
    this.#conversation.standStill(FRAME_MS);
  }

  #standStill(tick: number): void {
    this.#conversation.standStill(this.#dueFrames.skip(tick) * FRAME_MS);
  }

  #maySend(): boolean {
    return this.#session.lastReceivedAtMs !== undefined || this.#framesUntilHeard-- > 0;
  }

  #sendKeys(timestamp: number, { telephoneEventPayloadType }: MediaPath): void {
    const frame = this.#keypad.next(timestamp);
    if (frame.type === "audio") return this.#outgoing.write(frame.pcm, timestamp);
    // A re-INVITE has removed telephone events while some were being sent.
    if (telephoneEventPayloadType === undefined) return;
    const { payload, timestamp: beganAt, marker } = frame.packet;
    this.#session.send(payload, telephoneEventPayloadType, beganAt, marker);
  }

  #startWhenHeard(state: Extract<State, { name: "answered" }>, nowMs: number): void {
    state.startDeadlineMs ??= nowMs + FIRST_PACKET_DEADLINE_MS;
    // Without a destination the audio would be lost.
    const isDue = nowMs >= state.startDeadlineMs && this.#session.destination !== undefined;
    if (this.#session.lastReceivedAtMs === undefined && !isDue) return;
    this.#state = { name: "talking" };
    this.#conversation.start();
  }

  #noticeSilence(nowMs: number, { isSending, isReceiving }: MediaPath): void {
    const { timeoutMs, onTimeout } = this.#options;
    const limitMs = isSending && isReceiving ? timeoutMs : Math.max(HOLD_TIMEOUT_MS, timeoutMs);
    const silentMs = this.#peerSilence.check(nowMs, this.#session.lastActivityAtMs, limitMs);
    if (silentMs !== undefined) onTimeout(silentMs);
  }
}
