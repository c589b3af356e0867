import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

interface Address {
  address: string;
  port: number;
}

/** Wildcard address of IPv4, and of IPv6 if the machine supports it. */
export function everyAddress(port: number): Address[] {
  const entries = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const hasIPv6 = entries.some(({ family }) => family === "IPv6");
  return ["0.0.0.0", ...(hasIPv6 ? ["::"] : [])].map((address) => ({ address, port }));
}

/** Opens and closes a port. Rejects with the error of the system if it cannot be opened. */
export async function tryTcpPort({ address, port }: Address): Promise<void> {
  const server = createServer().listen({ host: address, port, ipv6Only: isIPv6(address) });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

/** Like `tryTcpPort`. */
export async function tryUdpPort({ address, port }: Address): Promise<void> {
  const type = isIPv6(address) ? "udp6" : "udp4";
  const socket = createSocket({ type, ipv6Only: isIPv6(address) }).bind(port, address);
  try {
    await once(socket, "listening");
  } finally {
    socket.close();
  }
}
