import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocketServer, type WebSocket } from "ws";

/** What goes wrong with one request. `after` counts the messages (or chunks of the reply) sent before it. */
export type ScriptedFault =
  | { type: "status"; status: number }
  /** The TCP connection is taken, and its request never answered. */
  | { type: "stallConnect" }
  /** Nothing more is sent; the connection stays open. */
  | { type: "stall"; after: number }
  /** Half open: nothing more is sent or read, and no ping answered. */
  | { type: "deaf"; after: number }
  /** The connection is cut without a word. */
  | { type: "close"; after: number };

/** One request as the server saw it, in milliseconds of `process.hrtime`, which all processes of a machine share. */
export interface ScriptedExchange {
  /** `x-conversation-id` where the protocol has headers per request, else the text that the exchange was about. */
  conversation: string;
  receivedAtMs: number;
  firstByteAtMs: number | null;
  /** When each chunk of a streamed completion was sent; empty elsewhere. */
  chunksAtMs: number[];
}

export interface ScriptedStats {
  connections: number;
  /** The last 20,000, oldest first. */
  exchanges: ScriptedExchange[];
}

export interface ScriptedServer {
  /** `http://127.0.0.1:<port>`; `GET /stats` answers `stats` as JSON, for a bench in another process. */
  url: string;
  stats: ScriptedStats;
  /** Cuts the connections. Idempotent. */
  close(): Promise<void>;
}

const maxExchanges = 20_000;

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** What the three vendors' servers have in common: a port, a clock, timers that end with the server, and statistics. */
export class ScriptedHost {
  readonly stats: ScriptedStats = { connections: 0, exchanges: [] };
  readonly #server: Server;
  readonly #closing = new AbortController();
  readonly #stalled = new Set<Duplex>();
  readonly #webSockets: WebSocketServer = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  constructor(onRequest: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#server = createServer((request, response) => {
      if (request.url !== "/stats") return onRequest(request, response);
      response.setHeader("content-type", "application/json").end(JSON.stringify(this.stats));
    });
    this.#server.on("connection", () => this.stats.connections++);
  }

  /**
   * Answers upgrades. `check` says with which status a request is refused whatever else, `faultOf` what goes wrong with
   * the nth connection that passed.
   */
  onWebSocket(
    check: (request: IncomingMessage) => number | undefined,
    faultOf: ((connection: number) => ScriptedFault | undefined) | undefined,
    accept: (socket: WebSocket, request: IncomingMessage, connection: ScriptedConnection) => void,
  ): void {
    let connections = 0;
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      const status = check(request);
      if (status !== undefined) return refuseUpgrade(socket, status);
      const index = connections++;
      const fault = faultOf?.(index);
      if (fault?.type === "status") return refuseUpgrade(socket, fault.status);
      if (fault?.type === "stallConnect") {
        this.#stalled.add(socket);
        socket.on("close", () => this.#stalled.delete(socket));
        return;
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        accept(webSocket, request, { index, fault }),
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
    if (this.stats.exchanges.length > maxExchanges) this.stats.exchanges.shift();
    return exchange;
  }

  /** False when the server closed meanwhile. */
  async wait(delayMs: number): Promise<boolean> {
    if (delayMs <= 0) return !this.#closing.signal.aborted;
    return await delay(delayMs, true, { signal: this.#closing.signal }).catch(() => false);
  }

  async start(): Promise<ScriptedServer> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return { url: `http://127.0.0.1:${port}`, stats: this.stats, close: async () => await this.#close() };
  }

  async #close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    for (const socket of this.#webSockets.clients) socket.terminate();
    for (const socket of this.#stalled) socket.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A WebSocket connection that was taken, and what will go wrong with it. */
export interface ScriptedConnection {
  index: number;
  fault: ScriptedFault | undefined;
}

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** Whether a connection's fault lets another message through; carries the fault out where it does not. */
export function mayStillSend(socket: WebSocket, fault: ScriptedFault | undefined, sent: number): boolean {
  if (fault === undefined || !("after" in fault) || sent < fault.after) return true;
  if (fault.type === "close") cut(socket);
  if (fault.type === "deaf") socket.pause();
  return false;
}

/** Cuts the TCP connection under a WebSocket, as a crashing server would. */
export function cut(socket: WebSocket): void {
  socket.terminate();
}
