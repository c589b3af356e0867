import { once } from "node:events";
import { connect, createServer, isIPv6, type Server, type Socket } from "node:net";
import {
  connect as connectTls,
  createServer as createTlsServer,
  type TLSSocket,
  type TlsOptions as TlsServerOptions,
} from "node:tls";
import type { Clock } from "../clock.ts";
import { PEER_CLOSED, StreamConnection, type Unconfirmed } from "./stream-connection.ts";
import { clientTlsOptions, type TlsClientOptions, type TlsOptions } from "./tls-identity.ts";
import type { DropListener, Endpoint, Hop, SocketAddress, Transport } from "./transport.ts";

export interface StreamListenOptions {
  bind: SocketAddress;
  clock: Clock;
  /** Enables TLS. */
  tls?: TlsOptions;
}

/** More than the calls of one node, each on its own connection. */
const MAX_CONNECTIONS = 8_192;
/** Enough for a proxy that opens one connection per call. */
const MAX_CONNECTIONS_PER_ADDRESS = 1_024;
/** A connection silent for this long may be closed to make room. */
const MIN_EVICTION_IDLE_MS = 60_000;
const TLS_HANDSHAKE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 500;

interface StreamTransportOptions {
  clock: Clock;
  tls?: TlsClientOptions;
}

/** SIP over TCP or TLS (RFC 3261 §18, §26.3): an optional listener, and connections that are reused while open. */
export class StreamTransport implements Transport {
  readonly protocol: "TCP" | "TLS";
  readonly isReliable = true;
  readonly localAddress: SocketAddress;
  readonly #options: StreamTransportOptions;
  readonly #server: Server | undefined;
  /** Including sockets in their TLS handshake. */
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Map<number, StreamConnection>();
  /** Connections for requests to an address, by {@link keyOf}. */
  readonly #byEndpoint = new Map<string, number>();
  /** Callbacks for the loss of a connection, by its ID. */
  readonly #watchers = new Map<number, Set<() => void>>();
  #lastId = 0;
  #receive: (data: Buffer, source: Hop) => void = () => undefined;
  #onDropped: DropListener = () => undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    options: StreamTransportOptions,
    localAddress: SocketAddress,
    server: Server | undefined,
  ) {
    this.protocol = options.tls === undefined ? "TCP" : "TLS";
    this.localAddress = localAddress;
    this.#options = options;
    this.#server = server;
  }

  /** Listens; rejects if the address, port or certificate is unusable. Port 0 chooses a free port. */
  static async listen(options: StreamListenOptions): Promise<StreamTransport> {
    const { bind, tls } = options;
    const server = tls === undefined ? createServer() : createTlsServer(serverOptions(tls));
    server.maxConnections = MAX_CONNECTIONS;
    server.listen({ host: bind.address, port: bind.port, ipv6Only: isIPv6(bind.address) });
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the listening socket has no port");
    return new StreamTransport(options, { address: address.address, port: address.port }, server);
  }

  /** TLS connections to servers only, without a certificate: peers can reach us only over these connections. */
  static withoutListener({
    address,
    ...options
  }: Required<StreamTransportOptions> & { address: string }): StreamTransport {
    return new StreamTransport(options, { address, port: 0 }, undefined);
  }

  start(receive: (data: Buffer, source: Hop) => void, onDropped: DropListener = () => undefined): void {
    this.#receive = receive;
    this.#onDropped = onDropped;
    if (this.#server === undefined) return;
    this.#server.on("connection", (socket: Socket) => this.#track(socket));
    this.#server.on(this.protocol === "TLS" ? "secureConnection" : "connection", (socket: Socket) =>
      this.#accept(socket),
    );
    this.#server.on("tlsClientError", (error: Error, socket: Socket) => {
      onDropped(`TLS: ${error.message}`, remoteOf(socket));
      socket.destroy();
    });
    // Each connection reports its own errors.
    this.#server.on("error", () => undefined);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // During the handshake no StreamConnection handles errors yet.
    socket.on("error", () => undefined);
  }

  #accept(socket: Socket): void {
    const remote = remoteOf(socket);
    if (socket.destroyed || this.#closing !== undefined || !this.#hasRoomFor(remote)) {
      this.#onDropped("too many connections", remote);
      socket.destroy();
      return;
    }
    this.#open({ socket, remote, isOutbound: false, readyEvent: undefined });
  }

  #hasRoomFor({ address }: SocketAddress): boolean {
    let fromAddress = 0;
    let oldest: StreamConnection | undefined;
    if (this.#connections.size < MAX_CONNECTIONS_PER_ADDRESS) return true;
    for (const connection of this.#connections.values()) {
      if (connection.remote.address === address) fromAddress++;
      if (oldest === undefined || connection.lastReceivedMs < oldest.lastReceivedMs) oldest = connection;
    }
    if (fromAddress >= MAX_CONNECTIONS_PER_ADDRESS) return false;
    if (this.#connections.size < MAX_CONNECTIONS) return true;
    const silenceMs = this.#options.clock.nowMs() - (oldest?.lastReceivedMs ?? 0);
    if (oldest === undefined || silenceMs < MIN_EVICTION_IDLE_MS) return false;
    oldest.close("closed to make room for another connection");
    return true;
  }

  send(data: Buffer, destination: Endpoint, onError: (error: Error) => void = () => undefined): void {
    if (this.#closing !== undefined) {
      onError(new Error("transport closed"));
      return;
    }
    const existing = this.#find(destination);
    if (existing !== undefined) existing.send({ data, onError });
    else if (destination.connectionId !== undefined) onError(new Error("connection closed"));
    else {
      try {
        this.#connect(destination).send({ data, onError });
      } catch (error) {
        // Invalid arguments, such as a port out of range.
        onError(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  connectionPort(destination: Endpoint): number | undefined {
    return this.#find(destination)?.localPort;
  }

  open(destination: Endpoint): Promise<boolean> | undefined {
    const canBeCalled = this.#server !== undefined || destination.connectionId !== undefined;
    if (canBeCalled || this.#closing !== undefined) return undefined;
    try {
      const connection = this.#find(destination) ?? this.#connect(destination);
      return connection.isOpen ? undefined : connection.opened;
    } catch {
      return Promise.resolve(false);
    }
  }

  watch(destination: Endpoint, onLost: () => void): () => void {
    if (this.#server !== undefined) return () => undefined;
    const id = this.#idOf(destination);
    if (id === undefined || this.#find(destination) === undefined) {
      const timer = this.#options.clock.schedule(0, onLost);
      return () => timer.cancel();
    }
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(onLost));
    return () => watchers.delete(onLost);
  }

  suspect(destination: Endpoint, silentForMs: number): void {
    const connection = this.#find(destination);
    if (connection === undefined) return;
    const silenceMs = this.#options.clock.nowMs() - connection.lastReceivedMs;
    if (silenceMs >= silentForMs) connection.close("a request was not answered");
  }

  #find(destination: Endpoint): StreamConnection | undefined {
    const id = this.#idOf(destination);
    const connection = id === undefined ? undefined : this.#connections.get(id);
    return connection === undefined || connection.isClosed ? undefined : connection;
  }

  #idOf(destination: Endpoint): number | undefined {
    return destination.connectionId ?? this.#byEndpoint.get(this.#keyOf(destination));
  }

  /** A TLS connection is valid only for the domain against which its certificate was checked (RFC 5922 §4). */
  #keyOf({ address, port, domain }: Endpoint): string {
    return this.protocol === "TLS" ? `${address} ${port} ${domain?.toLowerCase()}` : `${address} ${port}`;
  }

  /** @throws for invalid arguments, such as a port out of range. */
  #connect(destination: Endpoint): StreamConnection {
    const socket =
      this.protocol === "TLS" ? this.#connectTls(destination) : connect(this.#target(destination));
    this.#track(socket);
    const { address, port, domain } = destination;
    const remote = { address, port, ...(domain === undefined ? {} : { domain }) };
    const readyEvent = this.protocol === "TLS" ? "secureConnect" : "connect";
    return this.#open({ socket, remote, isOutbound: true, readyEvent });
  }

  /** Uses the listening address as source, because the peer sees it. */
  #target({ address, port }: Endpoint): { host: string; port: number; localAddress?: string } {
    const { address: local } = this.localAddress;
    const isAny = local === "0.0.0.0" || local === "::";
    return { host: address, port, ...(isAny ? {} : { localAddress: local }) };
  }

  #connectTls(destination: Endpoint): TLSSocket {
    const { domain = destination.address } = destination;
    return connectTls({ ...this.#target(destination), ...clientTlsOptions(domain, this.#options.tls) });
  }

  #open(parts: {
    socket: Socket;
    remote: Endpoint;
    isOutbound: boolean;
    readyEvent: "connect" | "secureConnect" | undefined;
  }): StreamConnection {
    const id = ++this.#lastId;
    const { remote, isOutbound } = parts;
    // A connection opened by the peer is reached only by its ID: that identifies the peer.
    const source: Hop = {
      protocol: this.protocol,
      ...remote,
      ...(isOutbound ? {} : { connectionId: id }),
    };
    const connection = new StreamConnection({
      ...parts,
      clock: this.#options.clock,
      onMessage: (data) => {
        if (this.#closing === undefined) this.#receive(data, source);
      },
      onClose: (reason, unconfirmed) => {
        const watchers = this.#forget(id, remote);
        if (this.#closing !== undefined) return;
        this.#onConnectionLost(connection, reason, unconfirmed);
        for (const onLost of watchers) onLost();
      },
    });
    this.#connections.set(id, connection);
    // A phone over TCP names its connection's port in Contact; over TLS, its identity is not verified.
    if (isOutbound || this.protocol === "TCP") this.#byEndpoint.set(this.#keyOf(remote), id);
    return connection;
  }

  /** Removes the connection; returns the callbacks to notify. */
  #forget(id: number, remote: Endpoint): Set<() => void> {
    this.#connections.delete(id);
    const key = this.#keyOf(remote);
    if (this.#byEndpoint.get(key) === id) this.#byEndpoint.delete(key);
    const watchers = this.#watchers.get(id);
    this.#watchers.delete(id);
    return watchers ?? new Set();
  }

  /**
   * A peer may close a connection at the moment a request is sent. If the connection has worked before, the
   * message is sent again over a new one. If it then arrives twice, the peer treats it as a retransmission (RFC
   * 3261 §17.2.3).
   */
  #onConnectionLost(connection: StreamConnection, reason: string, unconfirmed: readonly Unconfirmed[]): void {
    if (reason !== PEER_CLOSED) this.#onDropped(reason, connection.remote);
    for (const { data, onError } of unconfirmed) {
      if (connection.isOutbound && connection.hasReceivedData) this.send(data, connection.remote, onError);
      else onError(new Error(reason));
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const server = this.#server;
    const closed =
      server === undefined ? undefined : new Promise<void>((resolve) => server.close(() => resolve()));
    const destroyAll = (): void => {
      for (const socket of this.#sockets) socket.destroy();
    };
    // Do not wait for a peer that does not read its remaining data.
    const timer = this.#options.clock.schedule(CLOSE_TIMEOUT_MS, destroyAll);
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.finish()));
    timer.cancel();
    destroyAll();
    await closed;
  }
}

function serverOptions(tls: TlsOptions): TlsServerOptions {
  const { certificate, privateKey, authorities, isClientCertificateRequired = false } = tls;
  return {
    cert: certificate,
    key: privateKey,
    handshakeTimeout: TLS_HANDSHAKE_TIMEOUT_MS,
    requestCert: isClientCertificateRequired,
    rejectUnauthorized: isClientCertificateRequired,
    ...(authorities === undefined ? {} : { ca: authorities }),
  };
}

function remoteOf({ remoteAddress = "", remotePort = 0 }: Socket): SocketAddress {
  return { address: remoteAddress, port: remotePort };
}
