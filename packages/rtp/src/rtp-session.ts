import { randomBytes } from "node:crypto";
import type { RemoteInfo, Socket } from "node:dgram";
import { isIP, isIPv6, SocketAddress } from "node:net";
import { isRtcp, parseRtp, writeRtp, type RtpPacket } from "./packet.ts";
import type { PortPool } from "./port-pool.ts";
import { RtcpReporter, type RtcpStatistics } from "./rtcp/rtcp-reporter.ts";
import { bindFromPool, type SocketPair } from "./socket-pair.ts";
import { SourceLatch, type TransportAddress } from "./source-latch.ts";
import { SrtpSession, type SrtpKeys } from "./srtp/srtp-session.ts";

export interface RtpSessionOptions {
  /** Local IP address to bind. */
  address: string;
  /** Gives the port and takes it back after `close`. */
  ports: PortPool;
  /** Payload types that the peer may send; others are dropped, and latch nothing. */
  payloadTypes: readonly number[];
  /** @param arrivalMs On the clock of `performance.now`. */
  onPacket: (packet: RtpPacket, arrivalMs: number) => void;
  /** Gets what handling a datagram throws, `onPacket` included, and the session goes on. Default: it is thrown. */
  onError?: (error: unknown) => void;
}

/** What an SDP settles beside the peer's address and its payload types. */
export interface RtpPathOptions {
  /** Where the peer takes RTCP; by default the port after that of RTP. */
  rtcp?: TransportAddress;
  /** RTCP goes over RTP's port in both directions (RFC 5761). */
  isRtcpMultiplexed?: boolean;
  /** Undefined: plain RTP. */
  srtp?: SrtpKeys | undefined;
}

export interface RtpSessionCounters {
  /** Packets that the network has taken. */
  sent: number;
  /** Packets handed to `onPacket`. */
  received: number;
  /** Compound RTCP packets of the peer. */
  rtcp: number;
  /** Datagrams that are neither RTP nor RTCP, or have a payload type that was not negotiated. */
  malformed: number;
  oversized: number;
  /** Under SRTP: not protected with the peer's key, or received before. */
  unauthentic: number;
  /** Valid packets from a source that is not the peer. */
  foreign: number;
  /** Failed sends and ICMP errors. */
  socketErrors: number;
}

/** What an Ethernet frame carries. No frame of telephone audio comes near. */
const MAX_DATAGRAM_BYTES = 1500;
/** Of the timestamps, for every codec of telephones and their events (RFC 3551 §6). */
const CLOCK_RATE_HZ = 8000;
/** RFC 3711 §3.3.1: a first sequence number from the lower half cannot wrap before the peer has heard the stream. */
const FIRST_SEQUENCE_MASK = 0x7fff;

/** IPv6 has many spellings, and arriving packets tell only one. */
function canonical(address: string): string {
  return isIPv6(address) ? new SocketAddress({ address, family: "ipv6" }).address : address;
}

function usable({ address, port }: TransportAddress): TransportAddress | undefined {
  const isUsable =
    isIP(address) !== 0 &&
    address !== "0.0.0.0" &&
    address !== "::" &&
    Number.isInteger(port) &&
    port > 0 &&
    port <= 0xffff;
  return isUsable ? { address: canonical(address), port } : undefined;
}

/**
 * One RTP stream each way on a UDP port of its own and its RTCP on the next, with symmetric RTP (see `SourceLatch`), plain
 * or under SRTP. Owns the sockets; whoever opened it closes it. Nothing that the network sends makes it throw.
 */
export class RtpSession {
  /** Local UDP port. */
  readonly port: number;
  /** Of the packets sent (RFC 3550 §8.1: random). */
  readonly ssrc: number;
  readonly #socket: Socket;
  readonly #rtcpSocket: Socket;
  readonly #ports: PortPool;
  readonly #onPacket: RtpSessionOptions["onPacket"];
  readonly #onError: RtpSessionOptions["onError"];
  readonly #latch = new SourceLatch();
  readonly #reporter: RtcpReporter;
  readonly #initialTimestamp: number;
  readonly #counters = {
    sent: 0,
    received: 0,
    rtcp: 0,
    malformed: 0,
    oversized: 0,
    unauthentic: 0,
    foreign: 0,
    socketErrors: 0,
  };
  #payloadTypes: ReadonlySet<number>;
  #srtp: SrtpSession | undefined;
  #signalledRtcp: TransportAddress | undefined;
  /** Where RTCP was last heard from. */
  #heardRtcp: TransportAddress | undefined;
  #isRtcpMultiplexed = false;
  #sequenceNumber: number;
  #lastHeardAtMs: number | undefined;
  #lastReceivedAtMs: number | undefined;
  #isClosed = false;

  /** @throws {Error} where no port of the pool can be bound, or the address is not this machine's. */
  static async open(options: RtpSessionOptions): Promise<RtpSession> {
    return new RtpSession(options, await bindFromPool(options.address, options.ports));
  }

  private constructor(options: RtpSessionOptions, { rtp, rtcp, port }: SocketPair) {
    this.port = port;
    this.#socket = rtp;
    this.#rtcpSocket = rtcp;
    this.#ports = options.ports;
    this.#onPacket = options.onPacket;
    this.#onError = options.onError;
    this.#payloadTypes = new Set(options.payloadTypes);
    const random = randomBytes(10);
    this.ssrc = random.readUInt32BE(0);
    this.#initialTimestamp = random.readUInt32BE(4);
    this.#sequenceNumber = random.readUInt16BE(8) & FIRST_SEQUENCE_MASK;
    this.#reporter = new RtcpReporter({
      ssrc: this.ssrc,
      clockRateHz: CLOCK_RATE_HZ,
      random: Math.random,
    });
    rtp.on("message", (datagram, source) => this.#handle(() => this.#receive(datagram, source)));
    rtcp.on("message", (datagram, source) => this.#handle(() => this.#receiveRtcp(datagram, source)));
    for (const socket of [rtp, rtcp]) {
      socket.on("error", () => this.#counters.socketErrors++);
    }
  }

  get counters(): RtpSessionCounters {
    return { ...this.#counters };
  }

  /** Packets that the network has taken; one that it refuses is counted until the next turn of the event loop. */
  get packetsSent(): number {
    return this.#counters.sent;
  }

  /** Of both directions, by our own counts and the peer's reports. */
  get statistics(): RtcpStatistics {
    return this.#reporter.statistics;
  }

  /** When the peer's RTP or RTCP was last heard, on the clock of `performance.now`; undefined before. */
  get lastHeardAtMs(): number | undefined {
    return this.#lastHeardAtMs;
  }

  /** When the peer's RTP was last heard, on the clock of `performance.now`; undefined before. */
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
  negotiate(remote: TransportAddress, payloadTypes: readonly number[], options: RtpPathOptions = {}): void {
    const { rtcp = { address: remote.address, port: remote.port + 1 }, isRtcpMultiplexed = false } = options;
    this.#latch.signal(usable(remote), performance.now());
    this.#payloadTypes = new Set(payloadTypes);
    this.#signalledRtcp = usable(rtcp);
    this.#heardRtcp = undefined;
    this.#isRtcpMultiplexed = isRtcpMultiplexed;
    this.#srtp = options.srtp && (this.#srtp?.rekey(options.srtp) ?? new SrtpSession(options.srtp));
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
    const packet = writeRtp({
      marker,
      payloadType,
      sequenceNumber: this.#sequenceNumber,
      timestamp: this.#initialTimestamp + timestamp,
      ssrc: this.ssrc,
      payload,
    });
    this.#sequenceNumber = (this.#sequenceNumber + 1) & 0xffff;
    const datagram = this.#srtp?.protectRtp(packet) ?? packet;
    this.#socket.send(datagram, destination.port, destination.address, this.#onSent);
    this.#counters.sent++;
    this.#reporter.sent(this.#initialTimestamp + timestamp, payload.length, performance.now());
    return true;
  }

  /** One for all packets: it costs less than can be measured beside the sending (8 µs). Without it, refusals go unnoticed. */
  readonly #onSent = (error: Error | null): void => {
    if (error === null) return;
    this.#counters.sent--;
    this.#counters.socketErrors++;
  };

  /** Sends an RTCP report where one is due (RFC 3550 §6.2: about every five seconds); to be called with every frame. */
  report(nowMs: number): void {
    const report = this.#isClosed ? undefined : this.#reporter.takeReport(nowMs);
    if (report !== undefined) this.#sendRtcp(report);
  }

  /** Says goodbye (RFC 3550 §6.6), closes the sockets, then gives the port back. Idempotent. Nothing is handed out afterwards. */
  close(): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    const isKnownToPeer = this.#counters.sent > 0;
    const closeSockets = (): void => {
      this.#rtcpSocket.close(() => this.#socket.close(() => this.#ports.release(this.port)));
    };
    const isSent = isKnownToPeer && this.#sendRtcp(this.#reporter.farewell(performance.now()), closeSockets);
    if (!isSent) {
      closeSockets();
    }
  }

  #handle(receive: () => void): void {
    try {
      receive();
    } catch (error) {
      if (this.#onError === undefined) throw error;
      this.#onError(error);
    }
  }

  #receive(datagram: Uint8Array, source: RemoteInfo): void {
    if (this.#isClosed) {
      return;
    }
    if (datagram.length > MAX_DATAGRAM_BYTES) {
      this.#counters.oversized++;
      return;
    }
    if (isRtcp(datagram)) {
      this.#receiveRtcp(datagram, source);
      return;
    }
    const plain = this.#srtp === undefined ? datagram : this.#srtp.unprotectRtp(datagram);
    if (plain === undefined) {
      this.#counters.unauthentic++;
      return;
    }
    const packet = parseRtp(plain);
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
    this.#lastHeardAtMs = nowMs;
    this.#reporter.received(packet, nowMs);
    this.#onPacket(packet, nowMs);
  }

  #receiveRtcp(datagram: Uint8Array, source: RemoteInfo): void {
    if (this.#isClosed) {
      return;
    }
    if (datagram.length > MAX_DATAGRAM_BYTES) {
      this.#counters.oversized++;
      return;
    }
    const isPeer =
      source.address === this.#latch.destination?.address || source.address === this.#signalledRtcp?.address;
    if (!isPeer) {
      this.#counters.foreign++;
      return;
    }
    const plain = this.#srtp === undefined ? datagram : this.#srtp.unprotectRtcp(datagram);
    if (plain === undefined) {
      this.#counters.unauthentic++;
      return;
    }
    const nowMs = performance.now();
    if (!this.#reporter.receive(plain, nowMs)) {
      this.#counters.malformed++;
      return;
    }
    this.#counters.rtcp++;
    this.#lastHeardAtMs = nowMs;
    this.#heardRtcp = { address: source.address, port: source.port };
  }

  /** False where the destination is not known. */
  #sendRtcp(compound: Uint8Array, onSent?: () => void): boolean {
    const destination = this.#rtcpDestination();
    if (destination === undefined) {
      return false;
    }
    const datagram = this.#srtp?.protectRtcp(compound) ?? compound;
    const socket = this.#isRtcpMultiplexed ? this.#socket : this.#rtcpSocket;
    socket.send(datagram, destination.port, destination.address, (error) => {
      this.#counters.socketErrors += error === null ? 0 : 1;
      onSent?.();
    });
    return true;
  }

  /**
   * RTCP goes to where it comes from. Until it is heard, it goes to the address of the SDP; for a peer behind a NAT, which
   * is heard from another, to the port after that of its RTP, which often is right.
   */
  #rtcpDestination(): TransportAddress | undefined {
    const rtp = this.#latch.destination;
    if (this.#isRtcpMultiplexed || rtp === undefined) {
      return rtp;
    }
    if (this.#heardRtcp !== undefined) {
      return this.#heardRtcp;
    }
    const isBehindNat = this.#signalledRtcp === undefined || this.#signalledRtcp.address !== rtp.address;
    return isBehindNat ? usable({ address: rtp.address, port: rtp.port + 1 }) : this.#signalledRtcp;
  }
}
