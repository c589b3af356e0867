import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { Endpoint, Hop, SocketAddress, Transport } from "./transport.ts";

/** Buffers a burst of calls while the process is busy; the kernel applies its own limit. */
const SOCKET_BUFFER_BYTES = 4 * 1024 * 1024;

/** SIP over one UDP socket (RFC 3261 §18). */
export class UdpTransport implements Transport {
  readonly protocol = "UDP";
  readonly isReliable = false;
  readonly localAddress: SocketAddress;
  readonly #socket: Socket;
  #closing: Promise<void> | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const { address, port } = socket.address();
    this.localAddress = { address, port };
  }

  /** Binds the socket; rejects if the address or port is unavailable. Port 0 chooses a free port. */
  static async listen(bind: SocketAddress): Promise<UdpTransport> {
    const socket = createSocket({
      type: isIPv6(bind.address) ? "udp6" : "udp4",
      // IPv4 has its own socket, so that addresses never appear in mapped form.
      ipv6Only: isIPv6(bind.address),
      recvBufferSize: SOCKET_BUFFER_BYTES,
      sendBufferSize: SOCKET_BUFFER_BYTES,
    });
    try {
      socket.bind(bind.port, bind.address);
      await once(socket, "listening");
    } catch (error) {
      socket.close();
      throw error;
    }
    return new UdpTransport(socket);
  }

  start(receive: (data: Buffer, source: Hop) => void): void {
    this.#socket.on("message", (data, { address, port }) =>
      receive(data, { protocol: "UDP", address, port }),
    );
    // `send` reports errors of single datagrams; an error of the socket must not end the process.
    this.#socket.on("error", () => undefined);
  }

  send(data: Buffer, destination: Endpoint, onError?: (error: Error) => void): void {
    if (this.#closing !== undefined) {
      onError?.(new Error("transport closed"));
      return;
    }
    try {
      this.#socket.send(data, destination.port, destination.address, (error) => {
        if (error !== null) onError?.(error);
      });
    } catch (error) {
      // Invalid arguments, such as port 0 from a hostile Via.
      onError?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => this.#socket.close(() => resolve()));
    return this.#closing;
  }
}
