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
 * Of the encoder, 0 to 10. Measured at 16 kHz: 80 µs for 20 ms at 0, 210 µs at 5, where 100 calls would take a core. The
 * difference is hardly heard in one voice at this rate.
 */
const COMPLEXITY = 0;
/** A browser sends audio all the time; one that has sent none for so long is missed. */
const RTP_SILENCE_MS = 2_000;
/** One without a microphone still reports (RFC 3550 §6.2: every 5 s, more or less). */
const RTCP_SILENCE_MS = 10_000;
/** What a conversation waits for a browser that is missed. */
const ABSENCE_LIMIT_MS = 15_000;
/** Ticks further apart than this show that this process was stalled, and could not have heard the browser. */
const STALL_MS = 1_000;

export interface WebMediaOptions {
  web: WebPorts;
  wheel: MediaWheel;
  /** Gets what handling packets, frames and the connection's events throws. */
  scope: CallScope;
  conversation: VoiceConversation;
  /** Undefined: the call is not recorded. */
  tap: CallAudioTap | undefined;
  /** Audio flows for the first time. */
  onConnected: () => void;
  /** Called once when the browser has been missed for so long that it will not come back. */
  onAbandoned: (absentMs: number) => void;
}

/**
 * The media of one call in the browser: Opus on one side, a voice conversation on the other. The conversation begins when a
 * browser is connected, and stands still while it is missed, its clock included; a connection made anew goes on with it.
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

  /** Answers an offer. A connection that was there before is over with it. */
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

  /** The browser's candidates, or an ICE restart. */
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

  /** Idempotent. The conversation is its owner's to close. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wheelHandle.remove();
    if (this.#isConnected) this.#peer?.send(this.#rtcp.bye(performance.now()));
    this.#peer?.close();
    this.#freeCodecs();
  }

  /** What an earlier connection still brings is passed over. */
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
    // After a stall of ours the browser's packets wait to be read: it has its whole time again.
    if (nowMs - this.#presenceCheckedAtMs > STALL_MS) this.#absentSinceMs = undefined;
    this.#presenceCheckedAtMs = nowMs;
    // One that reports and sends no audio has no microphone at present, and listens.
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
