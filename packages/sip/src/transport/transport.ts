/** Protocol names as used in Via (RFC 3261 §20.42). */
export type TransportProtocol = "UDP" | "TCP" | "TLS";

/** One end of a flow. IPv6 addresses are without brackets. */
export interface SocketAddress {
  address: string;
  port: number;
}

/** The remote end of a message, with the details that its transport needs. */
export interface Endpoint extends SocketAddress {
  /** TLS: the name that the peer's certificate must match (RFC 5922 §7). If absent, only an open connection is used. */
  domain?: string;
  /** The connection of a received message. A message sent here uses that connection or fails. */
  connectionId?: number;
}

/** The next destination of a message, or its source. */
export interface Hop extends Endpoint {
  protocol: TransportProtocol;
}

/** The destination of a request: the first hop and its alternatives (RFC 3263 §4.3). */
export interface Destination extends Hop {
  alternatives?: readonly Hop[];
}

/** Carries complete messages over one protocol from one local address (RFC 3261 §18). */
export interface Transport {
  readonly protocol: TransportProtocol;
  /** True if lower layers retransmit; transaction timers depend on it (§17). */
  readonly isReliable: boolean;
  /** The listening address; port 0 for a transport that only connects. */
  readonly localAddress: SocketAddress;
  /**
   * Starts to deliver messages. Called once.
   *
   * @param onDropped called for data that is not a message, and for connections closed because of it.
   */
  start(receive: (data: Buffer, source: Hop) => void, onDropped?: DropListener): void;
  /** Never throws and never blocks; reports failures to `onError` (§18.4). */
  send(data: Buffer, destination: Endpoint, onError?: (error: Error) => void): void;
  /**
   * The local port of the open connection, if the peer reaches us there instead of at the listening port.
   * `undefined` if there is no connection.
   */
  connectionPort?(destination: Endpoint): number | undefined;
  /**
   * Opens a connection if a message to this peer needs its local port. Resolves with true if it succeeded.
   * `undefined` if there is nothing to wait for.
   */
  open?(destination: Endpoint): Promise<boolean> | undefined;
  /**
   * Calls back once if the only connection by which this peer can reach us is lost, or at once if there is none.
   * Never calls back after the returned function was called, or if the peer can reach us in another way.
   */
  watch?(destination: Endpoint, onLost: () => void): () => void;
  /** Reports an unanswered request: a connection that received nothing for as long is not reused. */
  suspect?(destination: Endpoint, silentForMs: number): void;
  /** Closes the transport. Idempotent. Nothing is delivered afterwards. */
  close(): Promise<void>;
}

export type DropListener = (reason: string, peer: SocketAddress) => void;
