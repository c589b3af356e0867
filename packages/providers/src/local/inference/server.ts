import { chmod, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { ProviderError } from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import {
  encodeFrame,
  FrameReader,
  MAX_UNSENT_BYTES,
  type ErrorData,
  type ReplyMessage,
  type RequestMessage,
} from "./frames.ts";
import type { InferenceHandlers, InferenceMethod, InferenceMethods } from "./methods.ts";
import { INFERENCE_PROVIDER } from "./pending-request.ts";

export interface ServeInferenceOptions {
  /** Path of a unix domain socket (in a folder that only this user may enter) or a Windows named pipe. */
  path: string;
  handlers: InferenceHandlers;
}

export interface InferenceServer {
  /** Aborts running requests and closes all connections. Idempotent. */
  close(): Promise<void>;
}

function toErrorData(error: unknown): ErrorData {
  if (error instanceof ProviderError) {
    const { provider, kind, status, isRetryable } = error;
    const prefix = `${provider}: `;
    return { provider, kind, status, isRetryable, message: error.message.slice(prefix.length) };
  }
  const message = errorMessage(error);
  return { provider: INFERENCE_PROVIDER, kind: "status", status: undefined, isRetryable: false, message };
}

/** Runs the handler of a method; an unknown method fails as a handler would. */
export async function callHandler<M extends InferenceMethod>(
  handlers: InferenceHandlers,
  method: M,
  params: InferenceMethods[M]["params"],
  context: { signal: AbortSignal; emit: (chunk: InferenceMethods[M]["chunk"]) => void },
): Promise<InferenceMethods[M]["result"]> {
  const handler = handlers[method];
  if (handler === undefined) {
    const message = `no model serves ${method}`;
    throw new ProviderError({ provider: INFERENCE_PROVIDER, kind: "status", message, isRetryable: false });
  }
  return await handler(params, context);
}

/** One client; its requests are aborted when it disconnects. */
class Connection {
  readonly #socket: Socket;
  readonly #handlers: InferenceHandlers;
  readonly #running = new Map<number, AbortController>();

  constructor(socket: Socket, handlers: InferenceHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    const reader = new FrameReader<RequestMessage>();
    socket.on("data", (data: Buffer) => {
      try {
        for (const message of reader.push(data)) this.#receive(message);
      } catch {
        // Invalid data: not one of our clients, so it gets no answer.
        socket.destroy();
      }
    });
    // `close` follows and cleans up.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      for (const controller of this.#running.values()) controller.abort();
      this.#running.clear();
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(message: RequestMessage): void {
    if (message.type === "request") {
      this.#run(message.id, message.method, message.params).catch(() => this.#socket.destroy());
      return;
    }
    this.#running.get(message.id)?.abort();
    this.#running.delete(message.id);
  }

  async #run<M extends InferenceMethod>(
    id: number,
    method: M,
    params: InferenceMethods[M]["params"],
  ): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    const emit = (chunk: InferenceMethods[M]["chunk"]): void =>
      this.#reply(signal, { type: "chunk", id, chunk });
    try {
      const result = await callHandler(this.#handlers, method, params, { signal, emit });
      this.#reply(signal, { type: "result", id, result });
    } catch (error) {
      this.#reply(signal, { type: "error", id, error: toErrorData(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #reply(signal: AbortSignal, message: ReplyMessage<unknown>): void {
    if (signal.aborted || this.#socket.destroyed) return;
    this.#socket.write(encodeFrame(message));
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#socket.destroy();
  }
}

/** Answers {@link connectInference}'s requests with the handlers. Replaces a socket that a dead process left behind. */
export async function serveInference({ path, handlers }: ServeInferenceOptions): Promise<InferenceServer> {
  const connections = new Set<Connection>();
  const server = createServer((socket) => {
    const connection = new Connection(socket, handlers);
    connections.add(connection);
    socket.on("close", () => connections.delete(connection));
  });
  const isFile = process.platform !== "win32";
  if (isFile) await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  if (isFile) await chmod(path, 0o600);
  return {
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}
