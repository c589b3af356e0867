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
  /** Where it listens; port 0 where it only connects. */
  readonly localAddress: SocketAddress;
  /**
   * Begins to deliver what arrives. Called once.
   *
   * @param onDropped is told of what was no message and of connections that were closed for it.
   */
  start(receive: (data: Buffer, source: Hop) => void, onDropped?: DropListener): void;
  /** Never throws and never blocks; a message that cannot be sent is reported to `onError` (§18.4). */
  send(data: Buffer, destination: Endpoint, onError?: (error: Error) => void): void;
  /**
   * The port by which this peer reaches us, where that is not the one that is listened on: that of the open connection.
   * `undefined` while there is none.
   */
  connectionPort?(destination: Endpoint): number | undefined;
  /**
   * Opens a connection where one has to be there before a message to this peer can say how we are reached; resolves with
   * whether it came about. `undefined` where nothing has to be waited for.
   */
  open?(destination: Endpoint): Promise<boolean> | undefined;
  /**
   * Calls back once when the connection is lost without which this peer cannot reach us, at once where there is none;
   * never after the function that it gives was called, nor where the peer can reach us otherwise.
   */
  watch?(destination: Endpoint, onLost: () => void): () => void;
  /** A request got no answer: a connection on which nothing else came for as long is not to be used again. */
  suspect?(destination: Endpoint, silentForMs: number): void;
  /** Idempotent. Nothing is delivered afterwards. */
  close(): Promise<void>;
}

export type DropListener = (reason: string, peer: SocketAddress) => void;
