import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { errorMessage } from "@parley/conversation/error-message";
import type { Config } from "../platform/config/config.ts";

interface Address {
  address: string;
  port: number;
}

/**
 * Binds the ports of HTTP and SIP briefly, before anything slow starts.
 *
 * @throws Error for the operator if one of them cannot be bound.
 */
export async function requireFreePorts({ http, sip }: Pick<Config, "http" | "sip">): Promise<void> {
  try {
    await bindTcp({ address: http.host, port: http.port });
  } catch (error) {
    throw explainListenError(error, nameHttpPort(http.port));
  }
  const tlsPort = sip.tls.server?.port;
  try {
    for (const address of everyAddress(sip.port)) {
      await bindUdp(address);
      await bindTcp(address);
    }
    for (const address of tlsPort === undefined ? [] : everyAddress(tlsPort)) await bindTcp(address);
  } catch (error) {
    throw explainListenError(error, namePort(error, sip));
  }
}

/** Wildcard address of IPv4, and of IPv6 if the machine supports it. */
export function everyAddress(port: number): Address[] {
  const entries = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const hasIPv6 = entries.some(({ family }) => family === "IPv6");
  return ["0.0.0.0", ...(hasIPv6 ? ["::"] : [])].map((address) => ({ address, port }));
}

export function nameHttpPort(port: number): string {
  return `HTTP port ${port} (PARLEY_HTTP_PORT)`;
}

/** Name of the SIP port that a network error refers to. */
export function namePort(error: unknown, { port, tls }: Config["sip"]): string {
  const { port: taken, syscall } = error as { port?: number; syscall?: string };
  if (tls.server !== undefined && taken === tls.server.port)
    return `SIP port ${tls.server.port}/tcp (PARLEY_SIP_TLS_PORT)`;
  return `SIP port ${port}/${syscall === "listen" ? "tcp" : "udp"} (PARLEY_SIP_PORT)`;
}

export function explainListenError(error: unknown, what: string): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const message = errorMessage(error);
  if (code === "EADDRINUSE") {
    return new Error(`${what} is in use by another program: stop that program, or set another port`, {
      cause: error,
    });
  }
  if (code === "EACCES") {
    return new Error(`${what} cannot be opened by this user: set a port above 1023`, { cause: error });
  }
  return new Error(`${what} cannot be opened: ${message}`, { cause: error });
}

async function bindTcp({ address, port }: Address): Promise<void> {
  const server = createServer().listen({ host: address, port, ipv6Only: isIPv6(address) });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

async function bindUdp({ address, port }: Address): Promise<void> {
  const type = isIPv6(address) ? "udp6" : "udp4";
  const socket = createSocket({ type, ipv6Only: isIPv6(address) }).bind(port, address);
  try {
    await once(socket, "listening");
  } finally {
    socket.close();
  }
}
