import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { writeRtp } from "../../../packages/rtp/src/packet.ts";

/** One RTP port of a peer: counts what arrives, and sends packets by command. */
export class RtpEar {
  /** Payload types that arrived, oldest first. */
  readonly received: number[] = [];
  readonly #socket: Socket;
  readonly #ssrc: number;
  #sequenceNumber = 0;
  #remotePort = 0;

  static async open(): Promise<RtpEar> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new RtpEar(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#ssrc = socket.address().port;
    socket.on("message", (packet) => this.received.push((packet[1] ?? 0) & 0x7f));
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Takes the port of the other side from its description. */
  follow(sdp: string): void {
    this.#remotePort = Number(/^m=audio (\d+)/m.exec(sdp)?.[1] ?? 0);
  }

  /** Sends 20 ms of silence, or another payload. */
  send(payload: Uint8Array = Buffer.alloc(160, 0xff), payloadType = 0): void {
    const sequenceNumber = this.#sequenceNumber++;
    const timestamp = sequenceNumber * 160;
    const packet = writeRtp({
      marker: false,
      payloadType,
      sequenceNumber,
      timestamp,
      ssrc: this.#ssrc,
      payload,
    });
    this.#socket.send(packet, this.#remotePort, "127.0.0.1");
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
