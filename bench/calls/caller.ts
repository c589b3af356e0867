import {
  acceptAnswer,
  type AudioSettings,
  buildOffer,
  type NegotiatedAudio,
  type Session,
  type UserAgent,
} from "../../packages/sip/src/index.ts";
import {
  type MediaWheel,
  type PortPool,
  type RtpPacket,
  RtpSession,
  type WheelHandle,
} from "../../packages/rtp/src/index.ts";
import { sharedClockMs } from "../support/clock.ts";
import type { ArrivalRecorder } from "./arrivals.ts";
import type { Frames } from "./speech.ts";

const ADDRESS = "127.0.0.1";
const FRAME_SAMPLES = 160;
const PCMU = { name: "PCMU", clockRateHz: 8000, payloadType: 0 };
/** Time for the greeting before a caller's first words: 3 s. */
const LISTENING_FIRST_TICKS = 150;
/** Frames of silence per frame of speech: a caller speaks 40 % of the time, and each answer has its time. */
const SILENCE_PER_SPEECH = 1.5;
const RING_TIMEOUT_MS = 20_000;

export interface CallerParts {
  userAgent: UserAgent;
  ports: PortPool;
  wheel: MediaWheel;
  utterances: readonly Frames[];
  /** Frames sent in a loop during silence. */
  noise: Frames;
  random: () => number;
  fromNumber: string;
  to: { number: string; sipPort: number };
}

/** Result of one call from its caller's point of view. */
export interface CallerOutcome {
  fromNumber: string;
  /** `undefined` if the call was answered and lasted until the caller hung up. */
  failure: string | undefined;
  /** Number of complete utterances. */
  utterances: number;
  /** Times at which the agent became audible (packets with a marker), in milliseconds of `process.hrtime`. */
  agentOnsetsMs: number[];
}

/** Phone caller who speaks recorded sentences by turns with an agent, and measures the arrival of its packets. */
export class Caller {
  readonly #parts: CallerParts;
  readonly #rtp: RtpSession;
  readonly #onsetsMs: number[] = [];
  #recorder: ArrivalRecorder | undefined;
  #session: Session | undefined;
  #wheelHandle: WheelHandle | undefined;
  #failure: string | undefined;
  #isHangingUp = false;
  #isFinishing = false;
  #utterance: Frames | undefined;
  #position = 0;
  #silentTicks: number;
  #ticks = 0;
  #utterances = 0;

  /** Opens its port and places the call; resolves when the call is answered or rejected. */
  static async place(parts: CallerParts): Promise<Caller> {
    let caller: Caller | undefined;
    const rtp = await RtpSession.open({
      address: ADDRESS,
      ports: parts.ports,
      payloadTypes: [PCMU.payloadType],
      onPacket: (packet, arrivalMs) => {
        if (caller !== undefined) caller.#hear(packet, arrivalMs);
      },
    });
    caller = new Caller(parts, rtp);
    await caller.#call();
    return caller;
  }

  private constructor(parts: CallerParts, rtp: RtpSession) {
    this.#parts = parts;
    this.#rtp = rtp;
    const longestCycle = Math.max(...parts.utterances.map(({ length }) => length)) * (1 + SILENCE_PER_SPEECH);
    this.#silentTicks = LISTENING_FIRST_TICKS + Math.floor(parts.random() * longestCycle);
  }

  get outcome(): CallerOutcome {
    const { fromNumber } = this.#parts;
    return {
      fromNumber,
      failure: this.#failure,
      utterances: this.#utterances,
      agentOnsetsMs: this.#onsetsMs,
    };
  }

  /** Records arrivals to `recorder` from now on. */
  recordTo(recorder: ArrivalRecorder | undefined): void {
    this.#recorder = recorder;
  }

  /** Starts no new sentence. */
  finish(): void {
    this.#isFinishing = true;
  }

  /** Whether its last sentence has had time for an answer, or the call has failed. */
  get isDone(): boolean {
    return this.#failure !== undefined || (this.#utterance === undefined && this.#silentTicks <= 0);
  }

  async hangUp(): Promise<void> {
    this.#isHangingUp = true;
    this.#wheelHandle?.remove();
    await this.#session?.bye();
    this.#rtp.close();
  }

  async #call(): Promise<void> {
    const { userAgent, to, fromNumber } = this.#parts;
    const settings: AudioSettings = { address: ADDRESS, port: this.#rtp.port, codecs: [PCMU] };
    const result = await userAgent.invite({
      to: `sip:${to.number}@${ADDRESS}:${to.sipPort}`,
      from: `sip:${fromNumber}@${ADDRESS}`,
      sdp: buildOffer(settings),
      ringTimeoutMs: RING_TIMEOUT_MS,
    });
    if (!result.ok) {
      this.#failure = `not answered: ${result.status} ${result.reason}`;
      return;
    }
    this.#session = result.session;
    this.#watch(result.session).catch(() => undefined);
    const agreed = acceptAnswer(result.session.remoteSdp, settings);
    if (agreed.ok) this.#connect(agreed.audio);
    else this.#failure = `no audio: ${agreed.reason}`;
  }

  async #watch(session: Session): Promise<void> {
    const { cause } = await session.ended;
    if (!this.#isHangingUp) this.#failure ??= `ended early: ${cause}`;
  }

  #connect({ remote, codec }: NegotiatedAudio): void {
    this.#rtp.negotiate(remote, [codec.payloadType]);
    this.#wheelHandle = this.#parts.wheel.add(() => {
      const timestamp = this.#ticks++ * FRAME_SAMPLES;
      this.#rtp.send(this.#nextFrame(), codec.payloadType, timestamp, false);
    });
  }

  #nextFrame(): Uint8Array {
    const { utterances, random } = this.#parts;
    if (this.#utterance === undefined && this.#silentTicks <= 0 && !this.#isFinishing) {
      this.#utterance = utterances[Math.floor(random() * utterances.length)];
      this.#position = 0;
    }
    const frame = this.#utterance?.[this.#position++];
    if (frame === undefined) {
      this.#silentTicks--;
      return this.#noiseFrame();
    }
    if (this.#position === this.#utterance?.length) {
      this.#silentTicks = Math.round(SILENCE_PER_SPEECH * this.#position);
      this.#utterance = undefined;
      this.#utterances++;
    }
    return frame;
  }

  #noiseFrame(): Uint8Array {
    const { noise } = this.#parts;
    return noise[this.#ticks % noise.length] ?? new Uint8Array(FRAME_SAMPLES).fill(0xff);
  }

  #hear(packet: RtpPacket, arrivalMs: number): void {
    if (packet.marker) this.#onsetsMs.push(sharedClockMs(arrivalMs));
    this.#recorder?.record(packet, arrivalMs);
  }
}
