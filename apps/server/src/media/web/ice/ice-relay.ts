import { randomInt } from "node:crypto";
import { createSocket, type Socket, type SocketType } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";
import type { PortRange } from "@parley/rtp";
import { createIceCredentials, IceAgent, type IceCredentials } from "./ice-agent.ts";
import { type LibraryAgent, LibraryPath } from "./library-path.ts";
import { isStun, parseStun } from "./stun-message.ts";
import { mapAddress, type TransportAddress, unmapAddress } from "./transport-address.ts";

interface IceRelayOptions {
  /** The relay binds one of these ports. */
  ports: PortRange;
  library: LibraryAgent;
}

interface BoundSocket {
  socket: Socket;
  /** Whether it also carries IPv4, in the form of mapped addresses. */
  isDual: boolean;
}

const MAX_PORT_TRIES = 200;

/**
 * Adds ICE restarts to a library without them. An `IceAgent` uses the new credentials with the browser, and the relay passes
 * everything but STUN between the browser and the library, to which it appears as another path of the first generation. DTLS
 * and SRTP continue. A connection has one relay from its first restart to its end. The previous generation is used until the
 * browser has nominated a path of the new one.
 */
export class IceRelay {
  readonly port: number;
  readonly #socket: Socket;
  readonly #isDual: boolean;
  #library: LibraryPath | undefined;
  /** The generation in use, and the next one. */
  #current: IceAgent | undefined;
  #next: IceAgent | undefined;
  #isClosed = false;

  /** @throws {Error} if no port is free. */
  static async open({ ports, library }: IceRelayOptions): Promise<IceRelay> {
    const { socket, isDual } = await bind(ports);
    const relay = new IceRelay(socket, isDual);
    try {
      relay.#library = await LibraryPath.open(library, {
        onDatagram: (datagram) => {
          const to = relay.#current?.nominated;
          if (to !== undefined) relay.#send(datagram, to);
        },
        // Answered only after the browser has answered: consent is end to end (RFC 7675).
        onCheck: (transactionId) => relay.#current?.check(Buffer.from(transactionId)),
      });
      return relay;
    } catch (error) {
      relay.close();
      throw error;
    }
  }

  private constructor(socket: Socket, isDual: boolean) {
    this.#socket = socket;
    this.#isDual = isDual;
    this.port = socket.address().port;
    socket.on("message", (datagram, { address, port }) =>
      this.#receive(datagram, { address: unmapAddress(address), port }),
    );
    // ICE detects unreachable paths.
    socket.on("error", () => {});
  }

  /** Starts a generation and drops one that the browser has not used yet. Returns our new credentials. */
  restart(remote: IceCredentials): IceCredentials {
    const local = createIceCredentials();
    const agent: IceAgent = new IceAgent({
      local,
      remote,
      send: (datagram, to) => this.#send(datagram, to),
      onNominated: () => this.#use(agent),
      onAnswered: (transactionId) => {
        if (agent === this.#current) this.#library?.answer(transactionId);
      },
    });
    this.#next?.close();
    this.#next = agent;
    return local;
  }

  /** Ignores candidates of earlier generations. */
  addCandidate(remoteUfrag: string, candidate: TransportAddress): void {
    for (const agent of [this.#current, this.#next])
      if (agent?.remoteUfrag === remoteUfrag) agent.addCandidate(candidate);
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#current?.close();
    this.#next?.close();
    this.#library?.close();
    this.#socket.close();
  }

  #use(agent: IceAgent): void {
    if (agent === this.#next) {
      this.#current?.close();
      this.#current = agent;
      this.#next = undefined;
    }
    this.#library?.nominate();
  }

  #receive(datagram: Buffer, from: TransportAddress): void {
    if (!isStun(datagram)) {
      const isKnown = this.#current?.knows(from) === true || this.#next?.knows(from) === true;
      if (isKnown) this.#library?.send(datagram);
      return;
    }
    const message = parseStun(datagram);
    if (message === undefined) return;
    const agents = [this.#current, this.#next].filter((agent) => agent !== undefined);
    const ufrag = message.username?.split(":")[0];
    for (const agent of agents)
      if (ufrag === undefined || agent.localUfrag === ufrag) agent.receive(message, from);
  }

  #send(datagram: Buffer, { address, port }: TransportAddress): void {
    if (!this.#isClosed) this.#socket.send(datagram, port, this.#isDual ? mapAddress(address) : address);
  }
}

/** Binds a free port. Starts at a random one, so that relays rarely try the same ports. */
async function bind({ first, last }: PortRange): Promise<BoundSocket> {
  const count = last - first + 1;
  const offset = randomInt(count);
  for (let tries = 0; tries < Math.min(count, MAX_PORT_TRIES); tries++) {
    try {
      return await bindPort(first + ((offset + tries) % count));
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error("no port is free for an ICE restart");
}

/** Binds IPv6 and IPv4 if the machine has both, else IPv4. */
async function bindPort(port: number): Promise<BoundSocket> {
  try {
    return { socket: await listen("udp6", port), isDual: true };
  } catch (error) {
    if (isTaken(error)) throw error;
    return { socket: await listen("udp4", port), isDual: false };
  }
}

async function listen(type: SocketType, port: number): Promise<Socket> {
  const socket = createSocket({
    type,
    // Destinations are IP literals.
    lookup: (address, _options, callback) => callback(null, address, isIP(address)),
  });
  try {
    const listening = once(socket, "listening");
    socket.bind(port);
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EADDRINUSE" || code === "EACCES";
}
