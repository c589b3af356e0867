import { randomBytes, randomInt } from "node:crypto";
import { errorMessage } from "@parley/conversation/error-message";
import { createOpusDecoder, createOpusEncoder, OpusApplication } from "@parley/audio";
import type { LiveCallEvent } from "@parley/contract";
import type { VoiceConversation } from "@parley/conversation";
import { type MediaWheel, type RtpPacket, RtcpReporter, type WheelHandle, writeRtp } from "@parley/rtp";
import type { CallScope } from "../../platform/call-scope.ts";
import { DueFrames } from "../due-frames.ts";
import { BrowserKeys } from "./browser-keys.ts";
import { BrowserPresence } from "./browser-presence.ts";
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

/** The connection that the last accepted offer has opened. */
interface Connection {
  peer: WebPeer;
  payloadType: number;
}

type State =
  /** No browser has connected so far. */
  | { name: "waiting"; connection: Connection | undefined }
  | { name: "connected"; connection: Connection; presence: BrowserPresence }
  /** The conversation began at the first tick. Continues while the browser is absent. */
  | { name: "talking"; connection: Connection; presence: BrowserPresence; firstTick: number }
  | { name: "closed"; connection?: undefined };

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
  readonly #events = new LiveEvents((message) => this.#state.connection?.peer.sendEvent(message));
  readonly #keys = new BrowserKeys((key) => {
    if (this.#state.name === "talking") this.#options.conversation.dtmf(key);
  });
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  readonly #dueFrames = new DueFrames();
  readonly #wheelHandle: WheelHandle;
  #state: State = { name: "waiting", connection: undefined };
  #sequence = randomInt(2 ** 16);
  #packetsSent = 0;

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
      const state = this.#state;
      if (state.name === "closed") throw new Error("the call is over");
      state.connection?.peer.close();
      const { opusPayloadType: payloadType } = reading.offer;
      this.#state = { ...state, connection: { peer, payloadType } };
      this.#incoming.connect(payloadType);
      return { ok: true, sdp: answer };
    } catch (error) {
      peer.close();
      return { ok: false, refusal: "unacceptable", reason: errorMessage(error) };
    }
  }

  /** Adds the browser's candidates, or restarts ICE if the fragment has new credentials. */
  async take({ ufrag, pwd, candidates }: SdpFragment): Promise<WebFragmentResult> {
    const peer = this.#state.connection?.peer;
    try {
      if (peer === undefined) throw new Error("There is no connection yet.");
      if (ufrag === undefined || ufrag === peer.remoteUfrag) {
        await peer.addCandidates(candidates);
        return { kind: "taken" };
      }
      if (pwd === undefined) throw new Error("An ICE restart needs both ice-ufrag and ice-pwd.");
      const fragment = await peer.restartIce({ ufrag, pwd }, candidates);
      if (this.#state.connection?.peer !== peer)
        throw new Error("The connection has been replaced by a new one.");
      return { kind: "restarted", fragment };
    } catch (error) {
      return { kind: "refused", reason: errorMessage(error) };
    }
  }

  sendEvent(event: LiveCallEvent): void {
    this.#events.add(event);
  }

  get statistics(): MediaStatistics {
    const { received, sent, roundTripMs } = this.#rtcp.statistics;
    const { late, targetDelayMs } = this.#incoming.counters;
    return {
      ...(this.#presence
        ? { codec: "opus", srtpSuite: "DTLS-SRTP" }
        : { codec: undefined, srtpSuite: undefined }),
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
    const state = this.#state;
    if (state.name === "closed") return;
    this.#state = { name: "closed" };
    this.#wheelHandle.remove();
    if (state.name !== "waiting") state.connection?.peer.send(this.#rtcp.bye(performance.now()));
    state.connection?.peer.close();
    this.#freeCodecs();
  }

  /** Creates a connection whose events are ignored once another one has replaced it. */
  #createPeer(): WebPeer {
    const ifCurrent = (then: () => void): void => {
      if (this.#state.connection?.peer === peer) then();
    };
    const peer: WebPeer = new WebPeer({
      ...this.#options.web,
      scope: this.#options.scope,
      ssrc: this.#ssrc,
      cname: this.#cname,
      onPacket: (packet, arrivalMs) => ifCurrent(() => this.#receive(packet, arrivalMs)),
      onRtcp: (datagram, arrivalMs) => ifCurrent(() => this.#receiveRtcp(datagram, arrivalMs)),
      onConnected: () => ifCurrent(() => this.#connect()),
      onDisconnected: () => ifCurrent(() => this.#presence?.noteDisconnection()),
      onChannel: () => ifCurrent(() => this.#events.replay()),
      onMessage: (message) => ifCurrent(() => this.#keys.receive(message, performance.now())),
    });
    return peer;
  }

  get #presence(): BrowserPresence | undefined {
    return "presence" in this.#state ? this.#state.presence : undefined;
  }

  #connect(): void {
    const { name, connection } = this.#state;
    const nowMs = performance.now();
    this.#presence?.noteRtp(nowMs);
    if (name !== "waiting" || connection === undefined) return;
    const presence = new BrowserPresence({ nowMs, onAbandoned: this.#options.onAbandoned });
    this.#state = { name: "connected", connection, presence };
    this.#options.onConnected();
  }

  #receive(packet: RtpPacket, arrivalMs: number): void {
    this.#presence?.noteRtp(arrivalMs);
    this.#rtcp.received(packet, arrivalMs);
    this.#incoming.push(packet, arrivalMs);
  }

  #receiveRtcp(datagram: Uint8Array, arrivalMs: number): void {
    if (!this.#rtcp.receive(datagram, arrivalMs)) return;
    this.#presence?.noteRtcp(arrivalMs);
    this.#outgoing.expectLoss(this.#rtcp.remoteFractionLost ?? 0);
  }

  #tick(dueMs: number, tick: number): void {
    const { conversation } = this.#options;
    const state = this.#state;
    if (state.name === "closed") return;
    if (state.name === "waiting" || !state.presence.check(dueMs)) {
      return conversation.standStill(this.#dueFrames.skip(tick) * FRAME_MS);
    }
    if (state.name === "talking") return this.#pass(dueMs, tick, state);
    const talking = { ...state, name: "talking", firstTick: tick } as const;
    this.#state = talking;
    conversation.start();
    this.#pass(dueMs, tick, talking);
  }

  /** Passes a frame of audio in each direction. */
  #pass(dueMs: number, tick: number, { connection, firstTick }: Extract<State, { name: "talking" }>): void {
    const { conversation } = this.#options;
    const report = this.#rtcp.takeReport(dueMs);
    if (report !== undefined) connection.peer.send(report);
    const frame = tick - firstTick;
    for (let frames = this.#dueFrames.at(tick); frames > 0; frames--) {
      this.#incoming.read(this.#frame, dueMs - (frames - 1) * FRAME_MS, frame - (frames - 1));
      conversation.hear(this.#frame);
    }
    this.#speakingWatch.check(this.#packetsSent);
    const pcm = conversation.nextFrame();
    this.#speakingWatch.noteFrame(pcm);
    this.#outgoing.write(pcm, frame);
  }

  #send({ payload, timestamp, marker }: { payload: Uint8Array; timestamp: number; marker: boolean }): void {
    const { connection } = this.#state;
    if (connection === undefined) return;
    const nowMs = performance.now();
    const sequenceNumber = this.#sequence;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const isSent = connection.peer.send(
      writeRtp({
        payload,
        timestamp,
        marker,
        sequenceNumber,
        payloadType: connection.payloadType,
        ssrc: this.#ssrc,
      }),
    );
    if (!isSent) return;
    this.#packetsSent++;
    this.#rtcp.sent(timestamp, payload.length, nowMs);
  }
}
