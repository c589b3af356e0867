import { decodePcma, decodePcmu, encodePcmu } from "@parley/audio";
import { DtmfReceiver, DtmfSender, MediaWheel, PortPool, type RtpPacket, RtpSession } from "@parley/rtp";
import { answerOffer, type IncomingInvite, type Session, UserAgent } from "@parley/sip";
import { waitFor } from "@parley/testing";
import { FRAME_SAMPLES } from "../audio/recordings.ts";

/** Separate from those of the platform and of callers. */
const PORTS = { first: 43_000, last: 43_499 };
const PCMA_PAYLOAD_TYPE = 8;
const EVENT_PAYLOAD_TYPE = 101;
const ADDRESS = "127.0.0.1";

/** A telephone for tests that is called: rings, and answers on command with a tone, speech or silence. */
export class TestPerson {
  /** INVITEs that have arrived and are neither answered nor refused yet. */
  readonly ringing: IncomingInvite[] = [];
  readonly heard: Int16Array[] = [];
  /** RTP payload type of the last audio packet that arrived. */
  heardPayloadType: number | undefined;
  /** Keys that arrived as telephone events. */
  keys = "";
  readonly #userAgent: UserAgent;
  readonly #rtp: RtpSession;
  /** What it sends while it says nothing; 0 is silence. */
  toneHz: number;
  readonly #wheel = new MediaWheel({ onError: (error) => console.error(error) });
  readonly #receiver = new DtmfReceiver({
    clockRateHz: 8000,
    onDigit: ({ digit }) => {
      this.keys += digit;
    },
  });
  #sender: DtmfSender | undefined;
  #session: Session | undefined;
  #timestamp = 0;
  #saying: { pcm: Int16Array; position: number; said: () => void } | undefined;

  /** @param toneHz What it sends while it says nothing; 0 is silence. */
  static async open({ toneHz }: { toneHz: number }): Promise<TestPerson> {
    let ring: (invite: IncomingInvite) => void = (invite) => invite.reject(480);
    const userAgent = await UserAgent.listen({
      bind: { address: ADDRESS, port: 0 },
      onInvite: (invite) => ring(invite),
    });
    let receive: (packet: RtpPacket, arrivalMs: number) => void = () => {};
    const rtp = await RtpSession.open({
      address: ADDRESS,
      ports: new PortPool(PORTS),
      payloadTypes: [],
      onPacket: (packet, arrivalMs) => receive(packet, arrivalMs),
    });
    const person = new TestPerson(userAgent, rtp, toneHz);
    receive = (packet, arrivalMs) => person.#hear(packet, arrivalMs);
    ring = (invite) => {
      invite.ring();
      person.ringing.push(invite);
    };
    return person;
  }

  private constructor(userAgent: UserAgent, rtp: RtpSession, toneHz: number) {
    this.#userAgent = userAgent;
    this.#rtp = rtp;
    this.toneHz = toneHz;
  }

  get sipPort(): number {
    return this.#userAgent.address.port;
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("there is no call");
    return this.#session;
  }

  async rings(): Promise<IncomingInvite> {
    return await waitFor("the person's telephone to ring", () => this.ringing.shift());
  }

  /** Answers the next call. */
  async answer(): Promise<void> {
    const invite = await this.rings();
    const answer = answerOffer(invite.body, {
      address: ADDRESS,
      port: this.#rtp.port,
      codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
    });
    if (!answer.ok) throw new Error(answer.reason);
    const { remote } = answer.audio;
    this.#rtp.negotiate(remote, [0, PCMA_PAYLOAD_TYPE, EVENT_PAYLOAD_TYPE], {});
    this.#wheel.add(() => this.#sendFrame());
    const accepted = await invite.accept({ sdp: answer.sdp });
    if (!accepted.ok) throw new Error("the answer was not acknowledged");
    this.#session = accepted.session;
  }

  /** Resolves at the end of the speech. */
  async say(pcm: Int16Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#saying = { pcm, position: 0, said: resolve };
    await promise;
  }

  press(digits: string): void {
    this.#sender = new DtmfSender({ digits, clockRateHz: 8000 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wheel.close();
    this.#rtp.close();
    await this.#userAgent.close({ deadlineMs: 500 });
  }

  #hear(packet: RtpPacket, arrivalMs: number): void {
    if (packet.payloadType === EVENT_PAYLOAD_TYPE) return this.#receiver.receive(packet, arrivalMs);
    this.heardPayloadType = packet.payloadType;
    const decode = packet.payloadType === PCMA_PAYLOAD_TYPE ? decodePcma : decodePcmu;
    this.heard.push(decode(packet.payload));
  }

  #sendFrame(): void {
    const event = this.#sender?.next(this.#timestamp, FRAME_SAMPLES);
    if (event === undefined) this.#rtp.send(encodePcmu(this.#nextFrame()), 0, this.#timestamp, false);
    else this.#rtp.send(event.payload, EVENT_PAYLOAD_TYPE, event.timestamp, event.marker);
    this.#timestamp += FRAME_SAMPLES;
  }

  #nextFrame(): Int16Array {
    const saying = this.#saying;
    if (saying === undefined) return toneOf(this.toneHz, this.#timestamp);
    const frame = new Int16Array(FRAME_SAMPLES);
    frame.set(saying.pcm.subarray(saying.position, saying.position + FRAME_SAMPLES));
    saying.position += FRAME_SAMPLES;
    if (saying.position >= saying.pcm.length) {
      this.#saying = undefined;
      saying.said();
    }
    return frame;
  }
}

function toneOf(frequencyHz: number, timestamp: number): Int16Array {
  return Int16Array.from(
    { length: FRAME_SAMPLES },
    (_, index) => 8_000 * Math.sin((2 * Math.PI * frequencyHz * (timestamp + index)) / 8000),
  );
}

/** Share of the energy that is at this frequency, 0 to about 1 (Goertzel). */
export function shareAt(frequencyHz: number, frames: readonly Int16Array[]): number {
  const pcm = frames.flatMap((frame) => [...frame]);
  const energy = pcm.reduce((sum, sample) => sum + sample * sample, 0);
  const angle = (2 * Math.PI * frequencyHz) / 8000;
  let [re, im] = [0, 0];
  for (const [index, sample] of pcm.entries()) {
    re += sample * Math.cos(angle * index);
    im += sample * Math.sin(angle * index);
  }
  return energy === 0 ? 0 : (2 * (re * re + im * im)) / (pcm.length * energy);
}
