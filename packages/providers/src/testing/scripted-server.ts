import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ScriptedConnection } from "./scripted-connection.ts";
import type { ScriptedFault, StatusFault } from "./scripted-fault.ts";

/** One request as seen by the server, in milliseconds of `process.hrtime`, which all processes of a machine share. */
export interface ScriptedExchange {
  /** `x-conversation-id` if the protocol has headers per request, otherwise the text of the exchange. */
  conversation: string;
  receivedAtMs: number;
  firstByteAtMs: number | null;
  /** Times at which the chunks of a streamed completion were sent; empty for other exchanges. */
  chunksAtMs: number[];
}

export interface ScriptedStats {
  /** Connections accepted so far. */
  connections: number;
  /** Connections still open. */
  openConnections: number;
  /** The last 20,000, oldest first. */
  exchanges: ScriptedExchange[];
}

export interface ScriptedServer {
  /** `http://127.0.0.1:<port>`; `GET /stats` returns `stats` as JSON, for a benchmark in another process. */
  url: string;
  stats: ScriptedStats;
  /** Cuts the open connections; new ones are accepted. */
  cutConnections(): void;
  /** Ends every deaf fault: only a reader notices that the other side has closed. */
  listenAgain(): void;
  /** Cuts the connections. Idempotent. */
  close(): Promise<void>;
}

const MAX_EXCHANGES = 20_000;

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The common base of the scripted servers: a port, a clock, timers that end with the server, and statistics. */
export class ScriptedHost {
  readonly stats: ScriptedStats = { connections: 0, openConnections: 0, exchanges: [] };
  readonly #server: Server;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Socket>();
  readonly #webSockets: WebSocketServer = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  constructor(onRequest: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#server = createServer((request, response) => {
      if (request.url !== "/stats") return onRequest(request, response);
      response.setHeader("content-type", "application/json").end(JSON.stringify(this.stats));
    });
    this.#server.on("connection", (socket) => this.#keep(socket));
  }

  /**
   * Accepts upgrades. `check` returns a status to refuse a request with, `pickFault` the fault of the nth accepted
   * connection.
   */
  onWebSocket(
    check: (request: IncomingMessage) => number | undefined,
    pickFault: ((connection: number) => ScriptedFault | undefined) | undefined,
    accept: (connection: ScriptedConnection, request: IncomingMessage) => void,
  ): void {
    let connections = 0;
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      const status = check(request);
      if (status !== undefined) return refuseUpgrade(socket, { status });
      const index = connections++;
      const fault = pickFault?.(index);
      if (fault?.type === "status") return refuseUpgrade(socket, fault);
      if (fault?.type === "stallConnect") return;
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        accept(new ScriptedConnection(webSocket, socket, index, fault), request),
      );
    });
  }

  receive(conversation: string): ScriptedExchange {
    const exchange: ScriptedExchange = {
      conversation,
      receivedAtMs: monotonicMs(),
      firstByteAtMs: null,
      chunksAtMs: [],
    };
    this.stats.exchanges.push(exchange);
    if (this.stats.exchanges.length > MAX_EXCHANGES) this.stats.exchanges.shift();
    return exchange;
  }

  /** Resolves to false if the server closed in the meantime. */
  async wait(delayMs: number): Promise<boolean> {
    if (delayMs <= 0) return !this.#closing.signal.aborted;
    return await delay(delayMs, true, { signal: this.#closing.signal }).catch(() => false);
  }

  async start(): Promise<ScriptedServer> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return {
      url: `http://127.0.0.1:${port}`,
      stats: this.stats,
      cutConnections: () => this.#cutConnections(),
      listenAgain: () => {
        for (const socket of this.#sockets) {
          if (socket.readableEnded) socket.destroy();
          else socket.on("end", () => socket.destroy()).resume();
        }
      },
      close: async () => await this.#close(),
    };
  }

  #keep(socket: Socket): void {
    this.stats.connections++;
    this.stats.openConnections++;
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.stats.openConnections--;
      this.#sockets.delete(socket);
    });
  }

  #cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#cutConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function refuseUpgrade(
  socket: Duplex,
  { status, retryAfterS }: Pick<StatusFault, "status" | "retryAfterS">,
): void {
  const retryAfter = retryAfterS === undefined ? "" : `Retry-After: ${retryAfterS}\r\n`;
  socket.end(`HTTP/1.1 ${status} Refused\r\n${retryAfter}Content-Length: 0\r\nConnection: close\r\n\r\n`);
}
