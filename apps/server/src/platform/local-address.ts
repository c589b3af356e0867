import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";

/** Any port will do: connecting a UDP socket looks up the route and sends nothing. */
const DISCARD_PORT = 9;

/**
 * Returns the local address that this machine would use to reach `peer` (an IP address), so that SDP and Contact
 * contain an address that the peer can reach.
 *
 * @throws Error if there is no route to the peer.
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
