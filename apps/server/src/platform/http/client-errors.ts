import { randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "@parley/contract";
import { AppError } from "../app-error.ts";

const codes: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "payload_too_large",
};

/** Answers requests that Node's HTTP parser rejects, before there is a request to route, as every other error. */
export class ClientErrors {
  readonly #responses = new WeakMap<Socket, ServerResponse>();

  /** Follows the responses of `server`, so that no error is written into one that has begun. */
  watch(server: Server): void {
    server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
      if (response.socket !== null) this.#responses.set(response.socket, response);
    });
  }

  answer(error: Error & { code?: string }, socket: Socket): void {
    const response = this.#responses.get(socket);
    const isAnswering = response?.headersSent === true && !response.writableEnded;
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering) return void socket.destroy();
    const refusal = toRefusal(error.code ?? "");
    const body = JSON.stringify(refusal.toBody());
    const lines = [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      `X-Request-Id: ${randomUUID()}`,
      "Connection: close",
    ];
    socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  }
}

function toRefusal(parserCode: string): AppError {
  const code = codes[parserCode];
  if (code !== undefined) return new AppError(code);
  return new AppError("invalid_query", { message: "The request is not valid HTTP/1.1." });
}
