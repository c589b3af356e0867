import { errorMessage } from "@parley/conversation/error-message";
import type { Config } from "../platform/config/config.ts";
import { everyAddress, tryTcpPort, tryUdpPort } from "../platform/machine/ports.ts";

/**
 * Binds the ports of HTTP and SIP briefly, before anything slow starts.
 *
 * @throws Error for the operator if one of them cannot be bound.
 */
export async function requireFreePorts({ http, sip }: Pick<Config, "http" | "sip">): Promise<void> {
  try {
    await tryTcpPort({ address: http.host, port: http.port });
  } catch (error) {
    throw explainListenError(error, nameHttpPort(http.port));
  }
  const tlsPort = sip.tls.server?.port;
  try {
    for (const address of everyAddress(sip.port)) {
      await tryUdpPort(address);
      await tryTcpPort(address);
    }
    for (const address of tlsPort === undefined ? [] : everyAddress(tlsPort)) await tryTcpPort(address);
  } catch (error) {
    throw explainListenError(error, namePort(error, sip));
  }
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
