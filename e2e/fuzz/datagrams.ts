import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";

/** Sockets on several addresses of this machine: many strangers, because the node may limit each. */
export class Strangers {
  readonly #sockets: readonly Socket[];
  #next = 0;

  static async open(
    count: number,
    onMessage: (datagram: Buffer, socket: Socket, from: RemoteInfo) => void,
  ): Promise<Strangers> {
    const sockets: Socket[] = [];
    for (let index = 0; index < count; index++) {
      const socket = createSocket("udp4");
      socket.on("message", (datagram, from) => onMessage(datagram, socket, from));
      // The node may have closed a port, or a datagram may be too large.
      socket.on("error", () => {});
      socket.bind(0, `127.0.0.${index + 2}`);
      await once(socket, "listening");
      sockets.push(socket);
    }
    return new Strangers(sockets);
  }

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  /** Returns the sockets in turn. */
  next(): Socket {
    const socket = this.#sockets[this.#next++ % this.#sockets.length];
    if (socket === undefined) throw new RangeError("there are no strangers");
    return socket;
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }
}
