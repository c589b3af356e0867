import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { serve } from "../support/peer.ts";

/** Baseline: a process that sends each datagram of one telephone to the other, as it is and at once. */
export type RelayMethods = {
  /** Opens two sockets between these ports of telephones. Resolves with their ports. */
  connect: (telephonePorts: readonly [number, number]) => Promise<[number, number]>;
};

const ADDRESS = "127.0.0.1";

async function bindSocket(): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, ADDRESS);
  await once(socket, "listening");
  return socket;
}

const methods: RelayMethods = {
  connect: async ([callerPort, personPort]) => {
    const [caller, person] = await Promise.all([bindSocket(), bindSocket()]);
    caller.on("message", (datagram) => person.send(datagram, personPort, ADDRESS));
    person.on("message", (datagram) => caller.send(datagram, callerPort, ADDRESS));
    return [caller.address().port, person.address().port];
  },
};

serve(methods);
