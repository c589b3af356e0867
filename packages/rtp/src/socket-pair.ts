import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIP, isIPv6 } from "node:net";
import type { PortPool } from "./port-pool.ts";

/** The sockets of one session: RTP on an even port, RTCP on the one above (RFC 3550 §11). */
export interface SocketPair {
  rtp: Socket;
  rtcp: Socket;
  /** Of RTP. */
  port: number;
}

/** Why a port cannot be had although nobody in this process has it. */
const PORT_UNAVAILABLE = new Set(["EADDRINUSE", "EACCES"]);

/** Only IP literals are sent to: nothing is looked up, and the detour through the resolver is saved. */
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
    // Awaited from before: with `useLiteral` a socket listens, or fails, before `bind` returns.
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
 * Binds the first port of the pool that is free on this machine with the one above; those that are not go to the pool's end.
 *
 * @throws {Error} where no port of the pool can be bound, or the address is not this machine's.
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
