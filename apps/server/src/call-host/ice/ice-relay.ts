import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";
import type { PortRange } from "@parley/rtp";
import { createIceCredentials, IceAgent, type IceCredentials } from "./ice-agent.ts";
import { type LibraryAgent, LibraryPath } from "./library-path.ts";
import { isStun, parseStun } from "./stun-message.ts";
import { mapAddress, type TransportAddress, unmapAddress } from "./transport-address.ts";

export interface IceRelayOptions {
  /** One of them is taken. */
  ports: PortRange;
  library: LibraryAgent;
}

/** What the next port is tried after. */
const takenPort = new Set(["EADDRINUSE", "EACCES"]);
const MOST_PORT_TRIES = 200;

/**
 * ICE restarts for a library that has none: an agent of ours speaks to the browser under the new credentials, and whatever is
 * no STUN goes on between it and the library, which believes in one more path of the first generation. DTLS and SRTP stay as
 * they are. One relay per connection, from its first restart to its end; until the browser has chosen a path of a new
 * generation, the one before it goes on.
 */
export class IceRelay {
  readonly port: number;
  readonly #socket: Socket;
  readonly #isDual: boolean;
  #library: LibraryPath | undefined;
  /** The generation in use, and the one that is to follow it. */
  #current: IceAgent | undefined;
  #next: IceAgent | undefined;
  #isClosed = false;

  /** @throws {Error} where no port is free. */
  static async open({ ports, library }: IceRelayOptions): Promise<IceRelay> {
    const { socket, isDual } = await bind(ports);
    const relay = new IceRelay(socket, isDual);
    try {
      relay.#library = await LibraryPath.open(library, {
        onDatagram: (datagram) => {
          const to = relay.#current?.nominated;
          if (to !== undefined) relay.#send(datagram, to);
        },
        // Answered when the browser has: consent is the browser's to give (RFC 7675).
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
    // A path that does not exist: ICE finds out.
    socket.on("error", () => {});
  }

  /** Begins a generation, in place of one that the browser has not used yet. Gives our credentials of it. */
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

  /** Passed over where it is of a generation that is gone. */
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

/** For both families of addresses where the machine has both. */
async function bind({ first, last }: PortRange): Promise<{ socket: Socket; isDual: boolean }> {
  const count = last - first + 1;
  const offset = Math.floor(Math.random() * count);
  let isDual = true;
  for (let tries = 0; tries < Math.min(count, MOST_PORT_TRIES); tries++) {
    const port = first + ((offset + tries) % count);
    try {
      return { socket: await bindOnce(port, isDual), isDual };
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (takenPort.has(code)) continue;
      if (!isDual) throw error;
      isDual = false;
      tries--;
    }
  }
  throw new Error("no port for an ICE restart is free");
}

async function bindOnce(port: number, isDual: boolean): Promise<Socket> {
  const socket = createSocket({
    type: isDual ? "udp6" : "udp4",
    // Only IP literals are sent to.
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
