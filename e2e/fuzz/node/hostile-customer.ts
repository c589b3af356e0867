import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** How an answer is sent; the first byte of an input. */
export const pace = { whole: 0, dribbled: 1, endless: 2, never: 3 } as const;

const DRIBBLE_INTERVAL_MS = 50;
/** Interval between repetitions of the largest piece. */
const ENDLESS_INTERVAL_MS = 1;

/** A customer's server that answers requests with prepared bytes, valid HTTP or not. */
export class HostileCustomer {
  /** Answers by a text that the request contains. */
  readonly #answers = new Map<string, Buffer>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  static async start(): Promise<HostileCustomer> {
    const customer = new HostileCustomer();
    customer.#server.listen(0, "127.0.0.1");
    await once(customer.#server, "listening");
    return customer;
  }

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => socket.destroy());
      let request = "";
      socket.on("data", (chunk) => {
        request += chunk.toString("latin1");
        const key = [...this.#answers.keys()].find((each) => request.includes(each));
        const answer = key === undefined ? undefined : this.#answers.get(key);
        if (key === undefined || answer === undefined) return;
        this.#answers.delete(key);
        // `once` rejects if the connection breaks meanwhile, which the client may cause at any time.
        send(socket, answer).catch(() => socket.destroy());
      });
    });
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  /**
   * Sets the answer to the next request that contains `key`: the pace in the first byte, then the bytes to
   * send.
   */
  answerNext(key: string, answer: Buffer): void {
    this.#answers.set(key, answer);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

async function send(socket: Socket, answer: Buffer): Promise<void> {
  const bytes = answer.subarray(1);
  switch (answer.readUInt8(0)) {
    case pace.dribbled:
      for (let at = 0; at < bytes.length && !socket.destroyed; at += 16) {
        socket.write(bytes.subarray(at, at + 16));
        await sleep(DRIBBLE_INTERVAL_MS);
      }
      break;
    case pace.endless:
      // Ended by the client's limit.
      while (!socket.destroyed) {
        if (!socket.write(bytes)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
        await sleep(ENDLESS_INTERVAL_MS);
      }
      break;
    case pace.never:
      return;
    default:
      socket.write(bytes);
  }
  socket.end();
}
