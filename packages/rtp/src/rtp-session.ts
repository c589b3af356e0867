import { randomBytes } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIP, isIPv6 } from "node:net";
import { isRtcp, parseRtp, writeRtp, type RtpPacket } from "./packet.ts";
import type { PortPool } from "./port-pool.ts";
import { SourceLatch, type TransportAddress } from "./source-latch.ts";

export interface RtpSessionOptions {
  /** Local IP address to bind. */
  address: string;
  /** Gives the port and takes it back after `close`. */
  ports: PortPool;
  /** Payload types that the peer may send; others are dropped, and latch nothing. */
  payloadTypes: readonly number[];
  /** @param arrivalMs On the clock of `performance.now`. */
  onPacket: (packet: RtpPacket, arrivalMs: number) => void;
}

export interface RtpSessionCounters {
  sent: number;
  /** Packets handed to `onPacket`. */
  received: number;
  /** RTCP, which is not used yet. */
  rtcp: number;
  /** Datagrams that are no RTP, or have a payload type that was not negotiated. */
  malformed: number;
  oversized: number;
  /** Valid packets from a source that is not the peer. */
  foreign: number;
  /** Failed sends and ICMP errors. */
  socketErrors: number;
}

/** What an Ethernet frame carries. No frame of telephone audio comes near. */
const MAX_DATAGRAM_BYTES = 1500;
/** Why a port cannot be had although nobody in this process has it. */
const PORT_UNAVAILABLE = new Set(["EADDRINUSE", "EACCES"]);

/** Only IP literals are sent to: nothing is looked up, and the detour through the resolver is saved. */
function useLiteral(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, isIP(address));
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

async function bind(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(address) ? "udp6" : "udp4", lookup: useLiteral });
  try {
    // Awaited from before: with `useLiteral` a socket listens, or fails, before `bind` returns.
    const listening = once(socket, "listening");
    socket.bind(port, address);
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

/** Binds the first port of the pool that is free on this machine; those that are not go to the pool's end. */
async function bindFromPool(address: string, ports: PortPool): Promise<{ socket: Socket; port: number }> {
  for (let tries = ports.freeCount; tries > 0; tries--) {
    const port = ports.take();
    if (port === undefined) {
      break;
    }
    try {
      return { socket: await bind(address, port), port };
    } catch (error) {
      ports.release(port);
      if (!PORT_UNAVAILABLE.has(errorCode(error) ?? "")) {
        throw error;
      }
    }
  }
  throw new Error(`no free RTP port on ${address}`);
}

/**
 * One RTP stream each way on a UDP port of its own, with symmetric RTP (see `SourceLatch`). Owns the socket;
 * whoever opened it closes it. Nothing that the network sends makes it throw.
 */
export class RtpSession {
  /** Local UDP port. */
  readonly port: number;
  /** Of the packets sent (RFC 3550 §8.1: random). */
  readonly ssrc: number;
  readonly #socket: Socket;
  readonly #ports: PortPool;
  readonly #onPacket: RtpSessionOptions["onPacket"];
  readonly #latch = new SourceLatch();
  readonly #initialTimestamp: number;
  readonly #counters = {
    sent: 0,
    received: 0,
    rtcp: 0,
    malformed: 0,
    oversized: 0,
    foreign: 0,
    socketErrors: 0,
  };
  #payloadTypes: ReadonlySet<number>;
  #sequenceNumber: number;
  #lastReceivedAtMs: number | undefined;
  #isClosed = false;

  /** @throws {Error} where no port of the pool can be bound, or the address is not this machine's. */
  static async open(options: RtpSessionOptions): Promise<RtpSession> {
    const { socket, port } = await bindFromPool(options.address, options.ports);
    return new RtpSession(options, socket, port);
  }

  private constructor(options: RtpSessionOptions, socket: Socket, port: number) {
    this.port = port;
    this.#socket = socket;
    this.#ports = options.ports;
    this.#onPacket = options.onPacket;
    this.#payloadTypes = new Set(options.payloadTypes);
    const random = randomBytes(10);
    this.ssrc = random.readUInt32BE(0);
    this.#initialTimestamp = random.readUInt32BE(4);
    this.#sequenceNumber = random.readUInt16BE(8);
    socket.on("message", (datagram, source) => this.#receive(datagram, source));
    socket.on("error", () => this.#counters.socketErrors++);
  }

  get counters(): RtpSessionCounters {
    return { ...this.#counters };
  }

  /** When the peer was last heard, on the clock of `performance.now`; undefined before. */
  get lastReceivedAtMs(): number | undefined {
    return this.#lastReceivedAtMs;
  }

  /** Where packets are sent at present; undefined while that is not known. */
  get destination(): TransportAddress | undefined {
    return this.#latch.destination;
  }

  /**
   * Applies an SDP of the peer: where it wants media, and which payload types it may send. To be called for every
   * one that takes effect. A host name, port 0 or an unspecified address (hold) leaves the destination to what
   * is heard.
   */
  negotiate(remote: TransportAddress, payloadTypes: readonly number[]): void {
    const isUsable =
      isIP(remote.address) !== 0 &&
      remote.address !== "0.0.0.0" &&
      remote.address !== "::" &&
      Number.isInteger(remote.port) &&
      remote.port > 0 &&
      remote.port <= 0xffff;
    this.#latch.signal(
      isUsable ? { address: remote.address, port: remote.port } : undefined,
      performance.now(),
    );
    this.#payloadTypes = new Set(payloadTypes);
  }

  /**
   * Sends one packet.
   *
   * @param timestamp Media clock from 0; the stream's random beginning is added here (RFC 3550 §5.1).
   * @returns False where nothing was sent, the destination being unknown or the session closed.
   */
  send(payload: Uint8Array, payloadType: number, timestamp: number, marker: boolean): boolean {
    const destination = this.#latch.destination;
    if (destination === undefined || this.#isClosed) {
      return false;
    }
    const datagram = writeRtp({
      marker,
      payloadType,
      sequenceNumber: this.#sequenceNumber,
      timestamp: this.#initialTimestamp + timestamp,
      ssrc: this.ssrc,
      payload,
    });
    this.#sequenceNumber = (this.#sequenceNumber + 1) & 0xffff;
    this.#socket.send(datagram, destination.port, destination.address, this.#onSent);
    return true;
  }

  /** Closes the socket, then gives the port back. Idempotent. No packet is handed out afterwards. */
  close(): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    this.#socket.close(() => this.#ports.release(this.port));
  }

  readonly #onSent = (error: Error | null): void => {
    if (error === null) {
      this.#counters.sent++;
    } else {
      this.#counters.socketErrors++;
    }
  };

  #receive(datagram: Uint8Array, source: RemoteInfo): void {
    if (this.#isClosed) {
      return;
    }
    if (datagram.length > MAX_DATAGRAM_BYTES) {
      this.#counters.oversized++;
      return;
    }
    if (isRtcp(datagram)) {
      this.#counters.rtcp++;
      return;
    }
    const packet = parseRtp(datagram);
    if (packet === undefined || !this.#payloadTypes.has(packet.payloadType)) {
      this.#counters.malformed++;
      return;
    }
    const nowMs = performance.now();
    if (!this.#latch.accept(source, packet, nowMs)) {
      this.#counters.foreign++;
      return;
    }
    this.#counters.received++;
    this.#lastReceivedAtMs = nowMs;
    this.#onPacket(packet, nowMs);
  }
}
