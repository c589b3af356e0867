import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIP, isIPv6 } from "node:net";
import type { PortPool } from "./port-pool.ts";

/** The sockets of one session: RTP on an even port, RTCP on the one above (RFC 3550 §11). */
export interface SocketPair {
  rtp: Socket;
  rtcp: Socket;
  /** The RTP port. */
  port: number;
}

/** Errors of a port that is used by another process. */
const PORT_UNAVAILABLE = new Set(["EADDRINUSE", "EACCES"]);

/** Skips name resolution, because only IP literals are used. */
function useLiteral(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, isIP(address));
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

async function bind(address: string, port: number): Promise<Socket> {
  const family = isIPv6(address) ? ({ type: "udp6", ipv6Only: true } as const) : ({ type: "udp4" } as const);
  const socket = createSocket({ ...family, lookup: useLiteral });
  try {
    // Awaited first: with `useLiteral`, a socket listens or fails before `bind` returns.
    const listening = once(socket, "listening");
    socket.bind(port, address);
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

async function bindPair(address: string, port: number): Promise<SocketPair> {
  const rtp = await bind(address, port);
  try {
    return { rtp, rtcp: await bind(address, port + 1), port };
  } catch (error) {
    rtp.close();
    throw error;
  }
}

/**
 * Binds the first port of the pool that is free together with the one above; ports in use go to the end of the
 * pool.
 *
 * @throws {Error} if no port of the pool can be bound, or the address does not belong to this machine.
 */
export async function bindFromPool(address: string, ports: PortPool): Promise<SocketPair> {
  for (let tries = ports.freeCount; tries > 0; tries--) {
    const port = ports.take();
    if (port === undefined) {
      break;
    }
    try {
      return await bindPair(address, port);
    } catch (error) {
      ports.release(port);
      if (!PORT_UNAVAILABLE.has(errorCode(error) ?? "")) {
        throw error;
      }
    }
  }
  throw new Error(`no free RTP port on ${address}`);
}
