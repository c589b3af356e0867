import { Audio, type DataChannel, PeerConnection, type Track } from "node-datachannel";
import { parseRtp, writeRtp } from "@parley/rtp";

const MAX_ATTEMPTS = 10;

/** Repeats `connect`: as an offerer, a role that only tests use, the library fails now and then. `connect` closes what it opened. */
export async function connectPatiently<T>(connect: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Stands in for a browser: offers audio and the data channel. */
export class Offerer {
  readonly #connection = new PeerConnection("offerer", { iceServers: [], disableAutoNegotiation: true });
  readonly #track: Track;
  readonly #channel: DataChannel;
  readonly open = Promise.withResolvers<void>();
  readonly messages: string[] = [];
  readonly heard: string[] = [];
  #sequenceNumber = 1;

  constructor() {
    const audio = new Audio("0", "SendRecv");
    audio.addOpusCodec(111);
    audio.addSSRC(77, "them", "stream", "track");
    this.#track = this.#connection.addTrack(audio);
    this.#track.onOpen(() => this.open.resolve());
    this.#track.onMessage((datagram) => {
      const packet = parseRtp(datagram);
      if (packet !== undefined) this.heard.push(Buffer.from(packet.payload).toString());
    });
    this.#channel = this.#connection.createDataChannel("parley");
    this.#channel.onMessage((message) => {
      if (typeof message === "string") this.messages.push(message);
    });
  }

  async offer(): Promise<string> {
    const { promise: gathered, resolve } = Promise.withResolvers<void>();
    this.#connection.onGatheringStateChange((state) => {
      if (state === "complete") resolve();
    });
    this.#connection.setLocalDescription("offer");
    await gathered;
    return this.#connection.localDescription()?.sdp ?? "";
  }

  accept(sdp: string): void {
    // See web-sdp.ts.
    this.#connection.setRemoteDescription(sdp.replaceAll("a=end-of-candidates\r\n", ""), "answer");
  }

  say(text: string): void {
    const payload = Buffer.from(text);
    const datagram = writeRtp({
      payload,
      payloadType: 111,
      sequenceNumber: this.#sequenceNumber++,
      timestamp: 0,
      ssrc: 77,
      marker: false,
    });
    this.#track.sendMessageBinary(Buffer.from(datagram));
  }

  /** Sends on the data channel. */
  write(message: string): void {
    this.#channel.sendMessage(message);
  }

  close(): void {
    this.#connection.close();
  }
}
