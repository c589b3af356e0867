import { createConnection, type Socket } from "node:net";
import { ProviderError } from "@parley/conversation";
import {
  encodeFrame,
  FrameReader,
  MAX_UNSENT_BYTES,
  type ReplyMessage,
  type RequestMessage,
} from "./frames.ts";
import type {
  InferenceClient,
  InferenceMethod,
  InferenceMethods,
  InferenceRequestOptions,
} from "./methods.ts";
import { INFERENCE_PROVIDER, PendingRequest } from "./pending-request.ts";

export interface ConnectInferenceOptions {
  /** Path of a unix domain socket or a Windows named pipe. */
  path: string;
}

const MAX_PENDING = 1024;
const RECONNECT_DELAY_MS = 100;

function connectionError(message: string, cause?: unknown): ProviderError {
  return new ProviderError({
    provider: INFERENCE_PROVIDER,
    kind: "connection",
    message,
    isRetryable: true,
    cause,
  });
}

/** A request as the connection handles it, regardless of its method. */
interface Entry {
  frame: Buffer;
  isSent: boolean;
  chunk: (chunk: never) => void;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

class SocketInferenceClient implements InferenceClient {
  readonly #path: string;
  readonly #entries = new Map<number, Entry>();
  #socket: Socket | undefined;
  #isConnected = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async request<M extends InferenceMethod>(
    method: M,
    params: InferenceMethods[M]["params"],
    options: InferenceRequestOptions<M>,
  ): Promise<InferenceMethods[M]["result"]> {
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw connectionError("the client is closed");
    if (this.#entries.size >= MAX_PENDING || (this.#socket?.writableLength ?? 0) > MAX_UNSENT_BYTES) {
      throw connectionError("overloaded: too many requests under way");
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const frame = encodeFrame({ type: "request", id, method, params });
    const pending = new PendingRequest<M>(options, () => this.#send({ type: "cancel", id }));
    this.#entries.set(id, {
      frame,
      isSent: false,
      chunk: (chunk) => pending.chunk(chunk),
      resolve: (result) => pending.resolve(result),
      reject: (error) => pending.reject(error),
    });
    this.#flush();
    try {
      return await pending.settled;
    } finally {
      this.#entries.delete(id);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.destroy();
    this.#rejectAll(connectionError("the client is closed"), () => true);
  }

  /** Sends waiting requests, or connects first. Without requests there is neither a connection nor a timer. */
  #flush(): void {
    if (this.#isConnected) {
      for (const entry of this.#entries.values()) {
        if (entry.isSent) continue;
        entry.isSent = true;
        this.#socket?.write(entry.frame);
        entry.frame = Buffer.alloc(0);
      }
    } else if (this.#socket === undefined && this.#retry === undefined) {
      this.#connect();
    }
  }

  #send(message: RequestMessage): void {
    if (this.#isConnected) this.#socket?.write(encodeFrame(message));
  }

  #connect(): void {
    const socket = createConnection({ path: this.#path });
    const reader = new FrameReader<ReplyMessage>();
    let failure: unknown;
    this.#socket = socket;
    socket.on("connect", () => {
      this.#isConnected = true;
      this.#flush();
    });
    socket.on("data", (data: Buffer) => {
      try {
        for (const message of reader.push(data)) this.#receive(message);
      } catch (error) {
        failure = error;
        socket.destroy();
      }
    });
    socket.on("error", (error) => (failure = error));
    socket.on("close", () => this.#onDisconnected(failure));
  }

  #onDisconnected(failure: unknown): void {
    this.#socket = undefined;
    this.#isConnected = false;
    if (this.#isClosed) return;
    this.#rejectAll(connectionError("the inference process went away", failure), (entry) => entry.isSent);
    if (this.#entries.size === 0) return;
    // Unsent requests wait for the process to start, each up to its own deadline.
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#entries.size > 0) this.#flush();
    }, RECONNECT_DELAY_MS);
  }

  #rejectAll(error: ProviderError, isMeant: (entry: Entry) => boolean): void {
    for (const [id, entry] of this.#entries) {
      if (!isMeant(entry)) continue;
      this.#entries.delete(id);
      entry.reject(error);
    }
  }

  #receive(message: ReplyMessage): void {
    const entry = this.#entries.get(message.id);
    if (entry === undefined) return;
    if (message.type === "chunk") entry.chunk(message.chunk);
    else if (message.type === "result") entry.resolve(message.result);
    else {
      const { status, ...rest } = message.error;
      entry.reject(new ProviderError(status === undefined ? rest : { ...rest, status }));
    }
  }
}

/**
 * Client of the inference process over its local socket. Connects at the first request and again after a loss: requests
 * under way then reject with a retryable `connection` error, and unsent ones wait for the process up to their own
 * deadline.
 */
export function connectInference({ path }: ConnectInferenceOptions): InferenceClient {
  return new SocketInferenceClient(path);
}
