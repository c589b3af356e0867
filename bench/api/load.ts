import { connect, type Socket } from "node:net";

export interface Load {
  /** `http://host:port` */
  url: string;
  /** Concurrent requests, each on a connection of its own. */
  connections: number;
  seconds: number;
  /** Method, path, headers and body of the next request. */
  next: () => LoadRequest;
}

export interface LoadRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface LoadResult {
  requestsPerSecond: number;
  latenciesMs: number[];
}

/** Sends requests one after another on each connection. Throws if an answer is not 2xx. */
export async function runLoad({ url, connections, seconds, next }: Load): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  const work = async (): Promise<void> => {
    const connection = new Connection(url);
    while (performance.now() < endMs) {
      const request = next();
      const sentMs = performance.now();
      const status = await connection.send(request);
      latenciesMs.push(performance.now() - sentMs);
      if (status < 200 || status > 299)
        throw new Error(`${request.method} ${request.path} was answered ${status}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { requestsPerSecond: (latenciesMs.length * 1000) / (performance.now() - startMs), latenciesMs };
}

/** Minimal HTTP client, which leaves the processor to the measured server. */
export class Connection {
  readonly #host: string;
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #pending: PromiseWithResolvers<number> | undefined;

  /** @param url `http://host:port` */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#host = hostname;
    this.#socket = socket;
    socket.on("data", (chunk) => this.#receive(chunk));
    const fail = () => this.#pending?.reject(new Error("the server closed the connection"));
    socket.on("error", fail).on("close", fail);
  }

  /** Resolves with the status once the whole answer has arrived. */
  async send({ method, path, headers, body = "" }: LoadRequest): Promise<number> {
    const fields = { host: this.#host, ...headers, "content-length": String(Buffer.byteLength(body)) };
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#pending = Promise.withResolvers<number>();
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
    return await this.#pending.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? "0");
    if (this.#received.length < headEnd + 4 + length) return;
    this.#received = Buffer.alloc(0);
    this.#pending?.resolve(Number(head.slice(9, 12)));
  }
}
