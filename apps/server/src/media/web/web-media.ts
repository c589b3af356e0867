import { randomBytes, randomInt } from "node:crypto";
import { errorMessage } from "@parley/conversation/error-message";
import { createOpusDecoder, createOpusEncoder, OpusApplication } from "@parley/audio";
import type { LiveCallEvent } from "@parley/contract";
import type { VoiceConversation } from "@parley/conversation";
import { type MediaWheel, type RtpPacket, RtcpReporter, type WheelHandle, writeRtp } from "@parley/rtp";
import type { CallScope } from "../../platform/call-scope.ts";
import { DueFrames } from "../due-frames.ts";
import { LiveEvents } from "./live-events.ts";
import type { MediaStatistics, WebFragmentResult, WebJoinResult, WebPorts } from "../media-protocol.ts";
import type { CallAudioTap } from "../recording/recording-spool.ts";
import { SpeakingWatch } from "../speaking-watch.ts";
import { WebIncomingAudio } from "./web-incoming-audio.ts";
import { FRAME_MS, FRAME_SAMPLES, OPUS_CLOCK_RATE_HZ, WEB_SAMPLE_RATE_HZ } from "./web-opus.ts";
import { WebOutgoingAudio } from "./web-outgoing-audio.ts";
import { WebPeer } from "./web-peer.ts";
import type { SdpFragment } from "./web-sdp-fragment.ts";
import { readOffer } from "./web-sdp.ts";

const BITRATE = 28_000;
/**
 * Opus encoder complexity, 0 to 10. Measured at 16 kHz: 20 ms take 80 µs at complexity 0 and 210 µs at 5, with which 100 calls
 * would occupy a core. The difference is hardly audible for a single voice at this rate.
 */
const COMPLEXITY = 0;
/** Browsers send audio continuously. One that has sent none for this long is absent. */
const RTP_SILENCE_MS = 2_000;
/** A browser without a microphone still sends RTCP reports, about every 5 s (RFC 3550 §6.2). */
const RTCP_SILENCE_MS = 10_000;
/** Longest absence of a browser before its call ends. */
const ABSENCE_LIMIT_MS = 15_000;
/** If ticks are further apart than this, this process was stalled and could not read the browser's packets. */
const STALL_MS = 1_000;

export interface WebMediaOptions {
  web: WebPorts;
  wheel: MediaWheel;
  /** Catches exceptions from the handling of packets, frames and connection events. */
  scope: CallScope;
  conversation: VoiceConversation;
  /** `undefined` if the call is not recorded. */
  tap: CallAudioTap | undefined;
  /** Called once, when audio flows for the first time. */
  onConnected: () => void;
  /** Called once, when the browser has been absent for 15 s. */
  onAbandoned: (absentMs: number) => void;
}

/**
 * Media of one browser call: connects Opus over WebRTC with a voice conversation. The conversation starts when a browser has
 * connected. It pauses, including its clock, while the browser is absent, and continues on a new connection.
 */
export class WebMedia {
  readonly #options: WebMediaOptions;
  readonly #incoming: WebIncomingAudio;
  readonly #outgoing: WebOutgoingAudio;
  readonly #speakingWatch: SpeakingWatch;
  readonly #freeCodecs: () => void;
  readonly #rtcp: RtcpReporter;
  readonly #ssrc = randomInt(1, 2 ** 32 - 1);
  readonly #cname = randomBytes(12).toString("base64url");
  readonly #events = new LiveEvents((message) => this.#peer?.tell(message));
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  readonly #dueFrames = new DueFrames();
  readonly #wheelHandle: WheelHandle;
  #peer: WebPeer | undefined;
  #payloadType = 0;
  #sequence = randomInt(2 ** 16);
  #packetsSent = 0;
  #isStarted = false;
  #isConnected = false;
  #firstTick: number | undefined;
  #rtpAtMs = -Infinity;
  #rtcpAtMs = -Infinity;
  #absentSinceMs: number | undefined;
  #presenceCheckedAtMs = -Infinity;
  #isAbandoned = false;
  #isClosed = false;

  static async open(options: WebMediaOptions): Promise<WebMedia> {
    const decoder = await createOpusDecoder({ sampleRate: WEB_SAMPLE_RATE_HZ, channels: 1 });
    const encoder = await createOpusEncoder({
      sampleRate: WEB_SAMPLE_RATE_HZ,
      channels: 1,
      application: OpusApplication.Voip,
      bitrate: BITRATE,
      complexity: COMPLEXITY,
      frameSize: FRAME_SAMPLES,
    });
    return new WebMedia(options, { decoder, encoder });
  }

  private constructor(
    options: WebMediaOptions,
    {
      decoder,
      encoder,
    }: {
      decoder: Awaited<ReturnType<typeof createOpusDecoder>>;
      encoder: Awaited<ReturnType<typeof createOpusEncoder>>;
    },
  ) {
    this.#options = options;
    const { tap } = options;
    this.#incoming = new WebIncomingAudio(decoder, tap);
    this.#outgoing = new WebOutgoingAudio(encoder, (packet) => this.#send(packet), tap);
    this.#freeCodecs = () => {
      decoder.free();
      encoder.free();
    };
    this.#speakingWatch = new SpeakingWatch(options.conversation);
    this.#rtcp = new RtcpReporter({ ssrc: this.#ssrc, clockRateHz: OPUS_CLOCK_RATE_HZ, random: Math.random });
    this.#wheelHandle = options.wheel.add(options.scope.guard((dueMs, tick) => this.#tick(dueMs, tick)));
  }

  /** Answers an offer. The new connection replaces the previous one. */
  async join(sdp: string): Promise<WebJoinResult> {
    const reading = readOffer(sdp);
    if (!reading.ok) return reading;
    const peer = this.#createPeer();
    try {
      const answer = await peer.answer(reading.offer);
      if (this.#isClosed) throw new Error("the call is over");
      this.#peer?.close();
      this.#peer = peer;
      this.#payloadType = reading.offer.opusPayloadType;
      this.#incoming.connect(this.#payloadType);
      return { ok: true, sdp: answer };
    } catch (error) {
      peer.close();
      return { ok: false, refusal: "unacceptable", reason: errorMessage(error) };
    }
  }

  /** Adds the browser's candidates, or restarts ICE if the fragment has new credentials. */
  async take({ ufrag, pwd, candidates }: SdpFragment): Promise<WebFragmentResult> {
    const peer = this.#peer;
    try {
      if (peer === undefined) throw new Error("There is no connection yet.");
      if (ufrag === undefined || ufrag === peer.remoteUfrag) {
        await peer.addCandidates(candidates);
        return { kind: "taken" };
      }
      if (pwd === undefined) throw new Error("An ICE restart needs both ice-ufrag and ice-pwd.");
      const fragment = await peer.restartIce({ ufrag, pwd }, candidates);
      if (this.#peer !== peer) throw new Error("The connection has been replaced by a new one.");
      return { kind: "restarted", fragment };
    } catch (error) {
      return { kind: "refused", reason: errorMessage(error) };
    }
  }

  tell(event: LiveCallEvent): void {
    this.#events.add(event);
  }

  get statistics(): MediaStatistics {
    const { received, sent, roundTripMs } = this.#rtcp.statistics;
    const { late, targetDelayMs } = this.#incoming.counters;
    return {
      codec: this.#isConnected ? "opus" : undefined,
      srtpSuite: this.#isConnected ? "DTLS-SRTP" : undefined,
      received: { ...received, late },
      packetsSent: this.#packetsSent,
      sent,
      roundTripMs,
      playoutDelayMs: targetDelayMs,
      ptimeMs: FRAME_MS,
    };
  }

  /** Idempotent. Does not close the conversation. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wheelHandle.remove();
    if (this.#isConnected) this.#peer?.send(this.#rtcp.bye(performance.now()));
    this.#peer?.close();
    this.#freeCodecs();
  }

  /** Creates a connection whose events are ignored once another one has replaced it. */
  #createPeer(): WebPeer {
    const ifCurrent = (then: () => void): void => {
      if (this.#peer === peer && !this.#isClosed) then();
    };
    const peer: WebPeer = new WebPeer({
      ...this.#options.web,
      scope: this.#options.scope,
      ssrc: this.#ssrc,
      cname: this.#cname,
      onPacket: (packet, arrivalMs) => ifCurrent(() => this.#receive(packet, arrivalMs)),
      onRtcp: (datagram, arrivalMs) => ifCurrent(() => this.#receiveRtcp(datagram, arrivalMs)),
      onConnected: () => ifCurrent(() => this.#connect()),
      onDisconnected: () =>
        ifCurrent(() => {
          this.#rtpAtMs = -Infinity;
          this.#rtcpAtMs = -Infinity;
        }),
      onChannel: () => ifCurrent(() => this.#events.replay()),
    });
    return peer;
  }

  #connect(): void {
    this.#rtpAtMs = performance.now();
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#options.onConnected();
  }

  #receive(packet: RtpPacket, arrivalMs: number): void {
    this.#rtpAtMs = arrivalMs;
    this.#rtcp.received(packet, arrivalMs);
    this.#incoming.push(packet, arrivalMs);
  }

  #receiveRtcp(datagram: Uint8Array, arrivalMs: number): void {
    if (!this.#rtcp.receive(datagram, arrivalMs)) return;
    this.#rtcpAtMs = arrivalMs;
    this.#outgoing.expectLoss(this.#rtcp.remoteFractionLost ?? 0);
  }

  #tick(dueMs: number, tick: number): void {
    const { conversation } = this.#options;
    if (!this.#isConnected || this.#isMissed(dueMs)) {
      this.#dueFrames.skip(tick);
      return conversation.standStill();
    }
    if (!this.#isStarted) {
      this.#isStarted = true;
      conversation.start();
    }
    const report = this.#rtcp.takeReport(dueMs);
    if (report !== undefined) this.#peer?.send(report);
    this.#firstTick ??= tick;
    const frame = tick - this.#firstTick;
    for (let frames = this.#dueFrames.at(tick); frames > 0; frames--) {
      this.#incoming.read(this.#frame, dueMs - (frames - 1) * FRAME_MS, frame - (frames - 1));
      conversation.hear(this.#frame);
    }
    this.#speakingWatch.check(this.#packetsSent);
    const pcm = conversation.nextFrame();
    this.#speakingWatch.noteFrame(pcm);
    this.#outgoing.write(pcm, frame);
  }

  #isMissed(nowMs: number): boolean {
    // After a stall of this process the browser's packets are still unread: its absence is measured anew.
    if (nowMs - this.#presenceCheckedAtMs > STALL_MS) this.#absentSinceMs = undefined;
    this.#presenceCheckedAtMs = nowMs;
    // A browser that sends reports but no audio has no microphone at the moment, and listens.
    const isMute = this.#rtcpAtMs > this.#rtpAtMs + RTP_SILENCE_MS / 2;
    const lastMs = isMute ? this.#rtcpAtMs + RTCP_SILENCE_MS : this.#rtpAtMs + RTP_SILENCE_MS;
    if (nowMs < lastMs) {
      this.#absentSinceMs = undefined;
      return false;
    }
    this.#absentSinceMs ??= nowMs;
    const absentMs = nowMs - this.#absentSinceMs;
    if (absentMs >= ABSENCE_LIMIT_MS && !this.#isAbandoned) {
      this.#isAbandoned = true;
      this.#options.onAbandoned(absentMs);
    }
    return true;
  }

  #send({ payload, timestamp, marker }: { payload: Uint8Array; timestamp: number; marker: boolean }): void {
    const peer = this.#peer;
    if (peer === undefined) return;
    const nowMs = performance.now();
    const sequenceNumber = this.#sequence;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const isSent = peer.send(
      writeRtp({
        payload,
        timestamp,
        marker,
        sequenceNumber,
        payloadType: this.#payloadType,
        ssrc: this.#ssrc,
      }),
    );
    if (!isSent) return;
    this.#packetsSent++;
    this.#rtcp.sent(timestamp, payload.length, nowMs);
  }
}
