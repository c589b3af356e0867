/** One end of a flow. IPv6 addresses stand without brackets. */
export interface SocketAddress {
  address: string;
  port: number;
}

/**
 * Carries whole messages (RFC 3261 §18). UDP exists now; a stream transport frames by Content-Length, says that
 * it is reliable, and keeps its connections inside.
 */
export interface Transport {
  /** As it stands in Via. */
  readonly protocol: "UDP" | "TCP" | "TLS";
  /** Whether lower layers retransmit: the transaction timers depend on it (§17). */
  readonly isReliable: boolean;
  /** Where it listens. */
  readonly localAddress: SocketAddress;
  /** Begins to deliver what arrives. Called once. */
  start(receive: (data: Buffer, source: SocketAddress) => void): void;
  /** Never throws and never blocks; a message that cannot be sent is reported to `onError` (§18.4). */
  send(data: Buffer, destination: SocketAddress, onError?: (error: Error) => void): void;
  /** Idempotent. Nothing is delivered afterwards. */
  close(): Promise<void>;
}
