import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { type EventEmitter, once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that the system gives to outgoing connections, and below those of the platform's audio. */
const FREE_PORTS = { first: 10_000, last: 19_999 };
/** Ports of this process's tests, which may not have bound them yet. */
const given = new Set<number>();

/** A port that is free for TCP and UDP on every address. Even ports only, so that the next one is left for RTCP. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_PORTS.first / 2, (FREE_PORTS.last + 1) / 2) * 2;
    if (given.has(port)) continue;
    await using server = createServer();
    await using socket = createSocket("udp4");
    try {
      await Promise.all([
        listening(server, () => server.listen({ port, host: "0.0.0.0", exclusive: true })),
        listening(socket, () => socket.bind({ port, address: "0.0.0.0", exclusive: true })),
      ]);
      given.add(port);
      return port;
    } catch {
      // Another program has it.
    }
  }
}

async function listening(listener: EventEmitter, listen: () => void): Promise<void> {
  const isListening = once(listener, "listening");
  listen();
  await isListening;
}
