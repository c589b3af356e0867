import { seededRandom } from "@parley/testing";
import type { MediaLeg } from "../../apps/server/src/media/media-legs.ts";
import type { MediaPath } from "../../apps/server/src/media/media-protocol.ts";
import { MediaWheel, PortPool, RtpSession } from "../../packages/rtp/src/index.ts";
import { type Frames, lineNoise, loadUtterances } from "../calls/speech.ts";
import { describeCall, speaker } from "../media/media-callers.ts";
import type { MediaProcess } from "../media/media-process.ts";
import type { Peer } from "../support/peer.ts";
import type { RelayMethods } from "./relay-process.ts";

const ADDRESS = "127.0.0.1";
const PORTS = { first: 31_000, last: 32_599 };
const FRAME_SAMPLES = 160;

/** A telephone that sends speech over RTP. */
interface Telephone {
  session: RtpSession;
  /** Packets of audio that have arrived. */
  received: number;
}

/** Two telephones per call, without signaling, which a media process or a bare relay connects. */
export class BridgedCalls {
  readonly #wheel = new MediaWheel({
    onError: (error) => {
      throw error;
    },
  });
  readonly #ports = new PortPool(PORTS);
  readonly #legs: MediaLeg[] = [];
  readonly #telephones: Telephone[] = [];
  readonly #utterances: readonly Frames[];
  readonly #noise = lineNoise();

  private constructor(utterances: readonly Frames[]) {
    this.#utterances = utterances;
  }

  static async onMedia(
    media: MediaProcess,
    calls: number,
    hasNoiseSuppression: boolean,
  ): Promise<BridgedCalls> {
    const bridged = new BridgedCalls(await loadUtterances());
    for (let index = 0; index < calls; index++) await bridged.#place(media, index, hasNoiseSuppression);
    return bridged;
  }

  static async onRelay(relay: Peer<RelayMethods>, calls: number): Promise<BridgedCalls> {
    const bridged = new BridgedCalls(await loadUtterances());
    for (let index = 0; index < calls; index++) {
      const [caller, person] = [await bridged.#addTelephone(), await bridged.#addTelephone()];
      const [toCaller, toPerson] = await relay.ask("connect", [caller.session.port, person.session.port]);
      bridged.#speak(caller, toCaller);
      bridged.#speak(person, toPerson);
    }
    return bridged;
  }

  /** Packets that have arrived at each telephone. */
  get received(): number[] {
    return this.#telephones.map(({ received }) => received);
  }

  async close(): Promise<void> {
    this.#wheel.close();
    await Promise.all(this.#legs.map(async (leg) => await leg.close()));
    for (const { session } of this.#telephones) session.close();
  }

  async #place({ pool, handlers }: MediaProcess, index: number, hasNoiseSuppression: boolean): Promise<void> {
    const place = pool.reserve();
    if (place === undefined) throw new Error("the media process has no free place");
    const call = describeCall(`call-${index}`);
    const leg = await pool.open({ ...call, hasNoiseSuppression, isRecorded: false }, handlers, place);
    this.#legs.push(leg);
    const [callerPhone, personPhone] = [await this.#addTelephone(), await this.#addTelephone()];
    leg.connect(pathTo(callerPhone));
    this.#speak(callerPhone, leg.rtpPort);
    leg.start();
    leg.confirm();
    leg.transfer.hold();
    const person = await leg.transfer.openPerson({ isIPv6: false });
    person.connect(pathTo(personPhone));
    this.#speak(personPhone, person.rtpPort);
    if (!(await leg.transfer.bridge(""))) throw new Error(`call ${index} was not connected`);
  }

  async #addTelephone(): Promise<Telephone> {
    const session = await RtpSession.open({
      address: ADDRESS,
      ports: this.#ports,
      payloadTypes: [0],
      onPacket: () => telephone.received++,
    });
    const telephone: Telephone = { session, received: 0 };
    this.#telephones.push(telephone);
    return telephone;
  }

  #speak({ session }: Telephone, port: number): void {
    const nextPayload = speaker(this.#utterances, this.#noise, seededRandom(session.port));
    session.negotiate({ address: ADDRESS, port }, [0]);
    let timestamp = 0;
    this.#wheel.add(() => {
      session.send(nextPayload(), 0, timestamp, false);
      timestamp += FRAME_SAMPLES;
    });
  }
}

function pathTo({ session }: Telephone): MediaPath {
  return {
    remote: { address: ADDRESS, port: session.port },
    codec: "PCMU",
    payloadType: 0,
    telephoneEventPayloadType: undefined,
    ptimeMs: 20,
    rtcp: { address: ADDRESS, port: session.port + 1 },
    isRtcpMultiplexed: false,
    srtp: undefined,
    isSending: true,
    isReceiving: true,
  };
}
