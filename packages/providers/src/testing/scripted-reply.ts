import type { IncomingMessage, ServerResponse } from "node:http";
import type { ScriptedFault } from "./scripted-fault.ts";
import { monotonicMs, type ScriptedExchange, type ScriptedHost } from "./scripted-server.ts";

/** A chunk of an HTTP/1.1 body (RFC 9112 §7.1) that announces 256 bytes and has three. */
const CUT_FRAME = "100\r\nabc";
const BAD_FRAME = "this is no chunk size\r\n";

/** One HTTP request and the chunks of its reply, with its scripted fault. */
export class ScriptedReply {
  readonly request: IncomingMessage;
  readonly #host: ScriptedHost;
  readonly #response: ServerResponse;
  readonly #fault: ScriptedFault | undefined;
  #sent = 0;

  constructor(
    host: ScriptedHost,
    request: IncomingMessage,
    response: ServerResponse,
    fault: ScriptedFault | undefined,
  ) {
    this.#host = host;
    this.request = request;
    this.#response = response;
    this.#fault = fault;
  }

  /** Whether the request is refused for its key or by its fault. */
  refuses(
    apiKey: string | undefined,
    given = this.request.headers.authorization?.replace(/^Bearer /, ""),
  ): boolean {
    if (apiKey !== undefined && given !== apiKey) {
      this.refuse(401);
      return true;
    }
    if (this.#fault?.type !== "status") return false;
    this.refuse(this.#fault.status, this.#fault.retryAfterS);
    return true;
  }

  refuse(status: number, retryAfterS?: number): void {
    this.#response.writeHead(status, {
      "content-type": "application/json",
      ...(retryAfterS !== undefined && { "retry-after": String(retryAfterS) }),
    });
    this.#response.end(
      JSON.stringify({ error: { message: `scripted status ${status}`, type: "scripted", code: status } }),
    );
  }

  /**
   * Sends a chunk after the delay, the first one with the head; returns false if nothing more is to be sent.
   *
   * @param nonsense Replaces the chunk if the fault requires it.
   */
  async send(
    chunk: string | Uint8Array,
    { delayMs, contentType, nonsense, exchange }: ScriptedChunk,
  ): Promise<boolean> {
    const fault = this.#fault;
    const isDue = fault !== undefined && "after" in fault && this.#sent >= fault.after;
    if (fault?.type === "stallConnect" || (isDue && fault.type !== "nonsense")) {
      this.#carryOut(fault, contentType);
      return false;
    }
    if (!(await this.#host.wait(delayMs)) || this.#response.destroyed) return false;
    const isNonsense = isDue && this.#sent === fault.after;
    this.#begin(isNonsense ? nonsense.contentType : contentType);
    exchange.firstByteAtMs ??= monotonicMs();
    this.#response.write(isNonsense ? nonsense.chunk : chunk);
    this.#sent++;
    return true;
  }

  end(): void {
    this.#response.end();
  }

  #begin(contentType: string): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { "content-type": contentType });
  }

  #carryOut(fault: ScriptedFault, contentType: string): void {
    const { socket } = this.#response;
    if (fault.type === "deaf") this.request.socket.pause();
    if (fault.type === "close") this.#response.destroy();
    if (fault.type !== "cutFrame" && fault.type !== "badFrame") return;
    this.#begin(contentType);
    this.#response.flushHeaders();
    socket?.write(fault.type === "badFrame" ? BAD_FRAME : CUT_FRAME, () => {
      if (fault.type === "cutFrame") this.#response.destroy();
    });
  }
}

export interface ScriptedChunk {
  delayMs: number;
  /** Content type of the reply, sent with its first chunk. */
  contentType: string;
  nonsense: { chunk: string | Uint8Array; contentType: string };
  exchange: ScriptedExchange;
}
