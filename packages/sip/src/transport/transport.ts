/** As they stand in Via (RFC 3261 §20.42). */
export type TransportProtocol = "UDP" | "TCP" | "TLS";

/** One end of a flow. IPv6 addresses stand without brackets. */
export interface SocketAddress {
  address: string;
  port: number;
}

/** The far end of a message, as the transport of its protocol needs it. */
export interface Endpoint extends SocketAddress {
  /** TLS: the name that the peer's certificate has to be for (RFC 5922 §7). Without it only an open connection serves. */
  domain?: string;
  /** The connection that a message came on: what is sent here goes by it, or not at all. */
  connectionId?: number;
}

/** Where a message goes next, or where one came from. */
export interface Hop extends Endpoint {
  protocol: TransportProtocol;
}

/** Where a request goes: the hop that is tried first, and those after it (RFC 3263 §4.3). */
export interface Destination extends Hop {
  alternatives?: readonly Hop[];
}

/** Carries whole messages by one protocol from one local address (RFC 3261 §18). */
export interface Transport {
  readonly protocol: TransportProtocol;
  /** Whether lower layers retransmit: the transaction timers depend on it (§17). */
  readonly isReliable: boolean;
  /** Where it listens. */
  readonly localAddress: SocketAddress;
  /**
   * Begins to deliver what arrives. Called once.
   *
   * @param onDropped is told of what was no message and of connections that were closed for it.
   */
  start(receive: (data: Buffer, source: Hop) => void, onDropped?: DropListener): void;
  /** Never throws and never blocks; a message that cannot be sent is reported to `onError` (§18.4). */
  send(data: Buffer, destination: Endpoint, onError?: (error: Error) => void): void;
  /** A request got no answer: a connection on which nothing else came for as long is not to be used again. */
  suspect?(destination: Endpoint, silentForMs: number): void;
  /** Idempotent. Nothing is delivered afterwards. */
  close(): Promise<void>;
}

export type DropListener = (reason: string, peer: SocketAddress) => void;
