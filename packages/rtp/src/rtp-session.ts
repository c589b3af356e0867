import { randomBytes } from "node:crypto";
import type { RemoteInfo, Socket } from "node:dgram";
import { isRtcp, parseRtp, writeRtp, type RtpPacket } from "./packet.ts";
import type { PortPool } from "./port-pool.ts";
import { RtcpPath } from "./rtcp/rtcp-path.ts";
import { RtcpReporter, type RtcpStatistics } from "./rtcp/rtcp-reporter.ts";
import { bindFromPool, type SocketPair } from "./socket-pair.ts";
import { SourceLatch, type TransportAddress } from "./source-latch.ts";
import { SrtpSession, type SrtpKeys } from "./srtp/srtp-session.ts";
import { usableAddress } from "./transport-address.ts";

export interface RtpSessionOptions {
  /** Local IP address to bind. */
  address: string;
  /** Source of the port, which is released after `close`. */
  ports: PortPool;
  /** Payload types that the peer may send; others are dropped and do not latch. */
  payloadTypes: readonly number[];
  /** @param arrivalMs on the clock of `performance.now`. */
  onPacket: (packet: RtpPacket, arrivalMs: number) => void;
  /** Called with an error thrown while a datagram is handled, for example by `onPacket`. Default: rethrows it. */
  onError?: (error: unknown) => void;
  /** Asked for each packet: `true` loses it after it was numbered and counted, as a network does. Default: none is lost. */
  isLost?: (() => boolean) | undefined;
}

/** SDP settings other than the peer's address and payload types. */
export interface RtpPathOptions {
  /** Address at which the peer receives RTCP; by default the port after RTP's. */
  rtcp?: TransportAddress;
  /** True if RTCP uses RTP's port in both directions (RFC 5761). */
  isRtcpMultiplexed?: boolean;
  /** `undefined` for plain RTP. */
  srtp?: SrtpKeys | undefined;
}

export interface RtpSessionCounters {
  /** Packets accepted by the network stack. */
  sent: number;
  /** Packets passed to `onPacket`. */
  received: number;
  /** Compound RTCP packets of the peer. */
  rtcp: number;
  /** Datagrams that are neither RTP nor RTCP, or have an unnegotiated payload type. */
  malformed: number;
  oversized: number;
  /** SRTP: packets with a wrong key, or received before. */
  unauthentic: number;
  /** Valid packets from another source than the peer. */
  foreign: number;
  /** Failed sends and ICMP errors. */
  socketErrors: number;
}

type DatagramHandler = (datagram: Uint8Array, source: RemoteInfo) => void;

/** The payload of an Ethernet frame; telephone audio packets are far smaller. */
const MAX_DATAGRAM_BYTES = 1500;
/** Timestamp clock of every telephone codec and of telephone events (RFC 3551 §6). */
const CLOCK_RATE_HZ = 8000;
/** RFC 3711 §3.3.1: a first sequence number in the lower half cannot wrap before the peer has received the stream. */
const FIRST_SEQUENCE_MASK = 0x7fff;

/**
 * One RTP stream in each direction on its own UDP port, with RTCP on the next port and symmetric RTP (see
 * `SourceLatch`); plain or SRTP. Owns the sockets; the opener closes it. No received data makes it throw.
 */
export class RtpSession {
  /** Local UDP port. */
  readonly port: number;
  /** SSRC of the sent packets (RFC 3550 §8.1: random). */
  readonly ssrc: number;
  readonly #socket: Socket;
  readonly #rtcpSocket: Socket;
  readonly #ports: PortPool;
  readonly #onPacket: RtpSessionOptions["onPacket"];
  readonly #onError: RtpSessionOptions["onError"];
  readonly #isLost: RtpSessionOptions["isLost"];
  readonly #latch = new SourceLatch();
  readonly #rtcpPath = new RtcpPath();
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
  #sequenceNumber: number;
  #lastActivityAtMs: number | undefined;
  #lastReceivedAtMs: number | undefined;
  #isClosed = false;

  /** @throws {Error} if no port of the pool can be bound, or the address does not belong to this machine. */
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
    this.#isLost = options.isLost;
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
    rtp.on(
      "message",
      this.#guard((datagram, source) => this.#receive(datagram, source)),
    );
    rtcp.on(
      "message",
      this.#guard((datagram, source) => this.#receiveRtcp(datagram, source)),
    );
    for (const socket of [rtp, rtcp]) {
      socket.on("error", () => this.#counters.socketErrors++);
    }
  }

  get counters(): RtpSessionCounters {
    return { ...this.#counters };
  }

  /** Packets accepted by the network stack; a rejected one is counted until the next turn of the event loop. */
  get packetsSent(): number {
    return this.#counters.sent;
  }

  /** Statistics of both directions, from our own counts and the peer's reports. */
  get statistics(): RtcpStatistics {
    return this.#reporter.statistics;
  }

  /** Time of the peer's last RTP or RTCP, on the clock of `performance.now`; `undefined` before the first. */
  get lastActivityAtMs(): number | undefined {
    return this.#lastActivityAtMs;
  }

  /** Time of the peer's last RTP, on the clock of `performance.now`; `undefined` before the first. */
  get lastReceivedAtMs(): number | undefined {
    return this.#lastReceivedAtMs;
  }

  /** Current destination of packets; `undefined` while unknown. */
  get destination(): TransportAddress | undefined {
    return this.#latch.destination;
  }

  /**
   * Applies an SDP of the peer: its media address and the payload types that it may send. Call for every SDP that
   * takes effect. A host name, port 0 or an unspecified address (hold) leaves the destination to the received
   * packets.
   */
  negotiate(remote: TransportAddress, payloadTypes: readonly number[], options: RtpPathOptions = {}): void {
    const { rtcp = { address: remote.address, port: remote.port + 1 }, isRtcpMultiplexed = false } = options;
    this.#latch.signal(usableAddress(remote), performance.now());
    this.#payloadTypes = new Set(payloadTypes);
    this.#rtcpPath.signal(rtcp, isRtcpMultiplexed);
    this.#srtp = options.srtp && (this.#srtp?.rekey(options.srtp) ?? new SrtpSession(options.srtp));
  }

  /**
   * Sends one packet.
   *
   * @param timestamp media clock from 0; the stream's random offset is added here (RFC 3550 §5.1).
   * @returns False if nothing was sent, because the destination is unknown or the session is closed.
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
    if (this.#isLost?.() !== true)
      this.#socket.send(datagram, destination.port, destination.address, this.#onSent);
    this.#counters.sent++;
    this.#reporter.sent(this.#initialTimestamp + timestamp, payload.length, performance.now());
    return true;
  }

  /**
   * Shared by all packets; its cost is not measurable next to sending (8 µs). Without it, send errors would be
   * lost.
   */
  readonly #onSent = (error: Error | null): void => {
    if (error === null) return;
    this.#counters.sent--;
    this.#counters.socketErrors++;
  };

  /** Sends an RTCP report if one is due (RFC 3550 §6.2: about every five seconds). Call with every frame. */
  report(nowMs: number): void {
    const report = this.#isClosed ? undefined : this.#reporter.takeReport(nowMs);
    if (report !== undefined) this.#sendRtcp(report);
  }

  /** Sends BYE (RFC 3550 §6.6), closes the sockets, then releases the port. Idempotent. No callback follows. */
  close(): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    const isKnownToPeer = this.#counters.sent > 0;
    const closeSockets = (): void => {
      this.#rtcpSocket.close(() => this.#socket.close(() => this.#ports.release(this.port)));
    };
    const isSent = isKnownToPeer && this.#sendRtcp(this.#reporter.bye(performance.now()), closeSockets);
    if (!isSent) {
      closeSockets();
    }
  }

  /** Made once per socket: a closure per packet would be garbage. */
  #guard(receive: DatagramHandler): DatagramHandler {
    return (datagram, source) => {
      try {
        receive(datagram, source);
      } catch (error) {
        if (this.#onError === undefined) throw error;
        this.#onError(error);
      }
    };
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
    this.#lastActivityAtMs = nowMs;
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
    if (!this.#rtcpPath.accepts(source.address, this.#latch.destination)) {
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
    this.#lastActivityAtMs = nowMs;
    this.#rtcpPath.noteSource(source);
  }

  /** False if the destination is unknown. */
  #sendRtcp(compound: Uint8Array, onSent?: () => void): boolean {
    const destination = this.#rtcpPath.destination(this.#latch.destination);
    if (destination === undefined) {
      return false;
    }
    const datagram = this.#srtp?.protectRtcp(compound) ?? compound;
    const socket = this.#rtcpPath.isMultiplexed ? this.#socket : this.#rtcpSocket;
    socket.send(datagram, destination.port, destination.address, (error) => {
      this.#counters.socketErrors += error === null ? 0 : 1;
      onSent?.();
    });
    return true;
  }
}
