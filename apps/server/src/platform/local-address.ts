import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";

/** Any port will do: connecting a UDP socket looks up the route and sends nothing. */
const DISCARD_PORT = 9;

/**
 * The address that this machine would use to reach `peer` (an IP address), so that what we write into SDP and
 * Contact is an address from which the peer can be reached.
 *
 * @throws Error where no route leads there.
 */
export async function findLocalAddressTowards(peer: string): Promise<string> {
  const socket = createSocket(isIPv6(peer) ? "udp6" : "udp4");
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("connect", resolve);
      socket.connect(DISCARD_PORT, peer);
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}
