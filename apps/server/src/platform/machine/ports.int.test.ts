import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { everyAddress, tryTcpPort, tryUdpPort } from "./ports.ts";

test("a port that any address of the machine uses is reported, and a free one can be opened afterwards", async (context) => {
  for (const { address } of everyAddress(0)) {
    const socket = createSocket({ type: address === "::" ? "udp6" : "udp4", ipv6Only: address === "::" });
    const server = createServer().listen({ host: address, port: 0, ipv6Only: address === "::" });
    socket.bind(0, address);
    await Promise.all([once(socket, "listening"), once(server, "listening")]);
    context.after(() => server.close());
    const udp = { address, port: socket.address().port };
    const tcp = { address, port: (server.address() as AddressInfo).port };
    await assert.rejects(tryUdpPort(udp), { code: "EADDRINUSE" });
    await assert.rejects(tryTcpPort(tcp), { code: "EADDRINUSE" });
    socket.close();
    await once(socket, "close");
    await tryUdpPort(udp);
    await tryUdpPort(udp);
  }
});
