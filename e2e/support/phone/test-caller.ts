import { decodePcma, decodePcmu } from "@parley/audio";
import { DtmfReceiver, DtmfSender, MediaWheel, PortPool, type RtpPacket, RtpSession } from "@parley/rtp";
import {
  acceptAnswer,
  type AudioSettings,
  buildOffer,
  type InviteResult,
  LocalSrtpKeys,
  type Session,
  UserAgent,
} from "@parley/sip";
import { type CodecName, codecs, FRAME_SAMPLES } from "../audio/recordings.ts";
import { waitFor } from "@parley/testing";

/** Separate from the platform's own ports. */
const PORTS = { first: 42_000, last: 42_999 };
const EVENT_PAYLOAD_TYPE = 101;
/** Mean square of a frame with speech: about −45 dBFS. */
const SPEECH_POWER = 180 ** 2;

export interface TestCallerOptions {
  sipPort: number;
  number: string;
  from: string;
  codec?: CodecName;
  /** Address of both sides, for signaling and audio. @default "127.0.0.1" */
  address?: string;
  /** If true, offers only SRTP. */
  isEncrypted?: boolean;
}

/** One packet of the agent as it arrived. */
export interface HeardPacket {
  /** Time of arrival on the clock of `performance.now`. */
  atMs: number;
  pcm: Int16Array;
  isSpeech: boolean;
}

interface Saying {
  pcm: Int16Array;
  position: number;
  startedAtMs: number;
  said: PromiseWithResolvers<{ startedAtMs: number }>;
}

/**
 * A telephone for tests: places a call, sends speech or silence in packets of 20 ms, and records the audio
 * that it receives.
 */
export class TestCaller {
  readonly heard: HeardPacket[] = [];
  /** Keys that arrived as telephone events. */
  heardKeys = "";
  readonly #options: TestCallerOptions;
  readonly #userAgent: UserAgent;
  readonly #rtp: RtpSession;
  readonly #wheel = new MediaWheel({ onError: (error) => console.error(error) });
  readonly #audio: AudioSettings;
  readonly #codec: (typeof codecs)[CodecName];
  readonly #decode: typeof decodePcmu;
  #session: Session | undefined;
  #saying: Saying | undefined;
  #keys: DtmfSender | undefined;
  readonly #receiver = new DtmfReceiver({
    clockRateHz: 8000,
    onDigit: ({ digit }) => {
      this.heardKeys += digit;
    },
  });
  #timestamp = 0;
  #onPacket: (packet: RtpPacket, arrivalMs: number) => void = () => {};

  /** Places a call. Rejects if it is refused. */
  static async call(options: TestCallerOptions): Promise<TestCaller> {
    const caller = await TestCaller.open(options);
    const result = await caller.dial();
    if (result.ok) return caller;
    await caller.close();
    throw new Error(`the call was refused: ${result.status} ${result.reason}`);
  }

  /** Opens a caller without a call. */
  static async open(options: TestCallerOptions): Promise<TestCaller> {
    const bind = { address: options.address ?? "127.0.0.1", port: 0 };
    const userAgent = await UserAgent.listen({ bind, onInvite: (invite) => invite.reject(486) });
    let receive: (packet: RtpPacket, arrivalMs: number) => void = () => {};
    const rtp = await RtpSession.open({
      address: bind.address,
      ports: new PortPool(PORTS),
      payloadTypes: [],
      onPacket: (packet, arrivalMs) => receive(packet, arrivalMs),
    });
    const caller = new TestCaller(options, userAgent, rtp);
    receive = (packet, arrivalMs) => caller.#onPacket(packet, arrivalMs);
    return caller;
  }

  private constructor(options: TestCallerOptions, userAgent: UserAgent, rtp: RtpSession) {
    const name = options.codec ?? "PCMU";
    this.#options = options;
    this.#userAgent = userAgent;
    this.#rtp = rtp;
    this.#codec = codecs[name];
    this.#decode = name === "PCMU" ? decodePcmu : decodePcma;
    this.#audio = {
      address: options.address ?? "127.0.0.1",
      port: rtp.port,
      codecs: [{ name, clockRateHz: 8000, payloadType: this.#codec.payloadType }],
      ...(options.isEncrypted === true && { srtp: { keys: new LocalSrtpKeys(), isRequired: true } }),
    };
  }

  /** Places the call. `signal` cancels it while it rings. */
  async dial({
    signal,
    onRinging,
  }: { signal?: AbortSignal; onRinging?: () => void } = {}): Promise<InviteResult> {
    const { sipPort, number, from, address = "127.0.0.1" } = this.#options;
    const host = address.includes(":") ? `[${address}]` : address;
    const result = await this.#userAgent.invite({
      to: `sip:${number}@${host}:${sipPort}`,
      from: `sip:${from}@${host}:${this.#userAgent.address.port}`,
      sdp: buildOffer(this.#audio),
      onProvisional: ({ status }) => status === 180 && onRinging?.(),
      ...(signal !== undefined && { signal }),
    });
    if (result.ok) this.#connect(result.session);
    return result;
  }

  /** Its number. */
  get from(): string {
    return this.#options.from;
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("there is no call");
    return this.#session;
  }

  /** The platform's port for this call's audio. */
  get remotePort(): number {
    return this.#rtp.destination?.port ?? 0;
  }

  /**
   * Resolves at the end of the speech with the time of its first packet (on the clock of `performance.now`).
   */
  async say(pcm: Int16Array): Promise<{ startedAtMs: number }> {
    this.#saying = { pcm, position: 0, startedAtMs: 0, said: Promise.withResolvers() };
    return await this.#saying.said.promise;
  }

  press(digits: string): void {
    this.#keys = new DtmfSender({ digits, clockRateHz: 8000 });
  }

  /** Waits until the agent has spoken since `sinceMs` and has then been silent for `silenceMs`. */
  async agentToFinish({ sinceMs = 0, silenceMs = 800, deadlineMs = 20_000 } = {}): Promise<void> {
    await this.#waitInCall("the agent to speak and finish", deadlineMs, () => {
      const last = this.heard.findLast((packet) => packet.isSpeech);
      return last !== undefined && last.atMs > sinceMs && performance.now() - last.atMs > silenceMs;
    });
  }

  /** Waits until the agent has spoken for `ms` in total since `sinceMs`. */
  async agentToSpeak({ sinceMs = 0, ms = 20, deadlineMs = 15_000 } = {}): Promise<void> {
    await this.#waitInCall("the agent to speak", deadlineMs, () => this.speechMsSince(sinceMs) >= ms);
  }

  async #waitInCall(what: string, deadlineMs: number, isSo: () => boolean): Promise<void> {
    await waitFor(
      what,
      () => {
        const isDone = isSo();
        if (!isDone && this.session.isEnded) throw new Error(`the call ended while waiting for ${what}`);
        return isDone;
      },
      deadlineMs,
    );
  }

  /** Returns how many milliseconds of the agent's speech have arrived since then. */
  speechMsSince(sinceMs: number): number {
    return this.heard.filter((packet) => packet.isSpeech && packet.atMs > sinceMs).length * 20;
  }

  /** Resolves with the reason of the call's end. Rejects after `deadlineMs`. */
  async ended(deadlineMs = 15_000): Promise<string> {
    let cause: string | undefined;
    void this.session.ended.then((end) => (cause = end.cause));
    return await waitFor("the call to end", () => cause, deadlineMs);
  }

  async hangUp(): Promise<void> {
    await this.#session?.bye();
    await this.close();
  }

  /** Stops sending audio, without ending the call. */
  fallSilent(): void {
    this.#wheel.close();
  }

  /** Closes the call if a test fails: `await using caller = await TestCaller.call(…)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Closes its sockets, and hangs up an active call. Idempotent. */
  async close(): Promise<void> {
    this.#wheel.close();
    this.#rtp.close();
    await this.#userAgent.close({ deadlineMs: 500 });
  }

  #connect(session: Session): void {
    this.#session = session;
    const answer = acceptAnswer(session.remoteSdp, this.#audio);
    if (!answer.ok) throw new Error(`the answer cannot be used: ${answer.reason}`);
    const { remote, srtp } = answer.audio;
    this.#rtp.negotiate(remote, [this.#codec.payloadType, EVENT_PAYLOAD_TYPE], { srtp });
    this.#onPacket = (packet, atMs) => {
      if (packet.payloadType === EVENT_PAYLOAD_TYPE) return this.#receiver.receive(packet, atMs);
      const pcm = this.#decode(packet.payload);
      this.heard.push({ atMs, pcm, isSpeech: powerOf(pcm) > SPEECH_POWER });
    };
    this.#wheel.add(() => this.#sendFrame());
  }

  #sendFrame(): void {
    const event = this.#keys?.next(this.#timestamp, FRAME_SAMPLES);
    if (event === undefined) {
      const payload = this.#codec.encode(this.#nextFrame());
      this.#rtp.send(payload, this.#codec.payloadType, this.#timestamp, false);
    } else this.#rtp.send(event.payload, EVENT_PAYLOAD_TYPE, event.timestamp, event.marker);
    this.#timestamp += FRAME_SAMPLES;
  }

  #nextFrame(): Int16Array {
    const frame = new Int16Array(FRAME_SAMPLES);
    const saying = this.#saying;
    if (saying === undefined) return frame;
    if (saying.position === 0) saying.startedAtMs = performance.now();
    frame.set(saying.pcm.subarray(saying.position, saying.position + FRAME_SAMPLES));
    saying.position += FRAME_SAMPLES;
    if (saying.position >= saying.pcm.length) {
      this.#saying = undefined;
      saying.said.resolve({ startedAtMs: saying.startedAtMs });
    }
    return frame;
  }
}

function powerOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return sum / Math.max(1, pcm.length);
}
