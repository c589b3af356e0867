import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { FuzzedNode } from "../node/fuzzed-node.ts";
import { fillIn, type Target } from "../target.ts";
import { classesIn, leave } from "./sip-answers.ts";
import { sipStreamInputs } from "./sip-inputs.ts";

/** Time for answers to one connection's messages. */
const ANSWERS_MS = 150;
const CONNECT_DEADLINE_MS = 3_000;

let nextSource = 0;

/** Returns another address of this machine each time. */
const localAddress = (): string => `127.0.0.${2 + (nextSource++ % 200)}`;

function target(name: string, protocol: "TCP" | "TLS", connect: (node: FuzzedNode) => Socket): Target {
  return {
    name,
    concurrency: 8,
    pauseMs: 0,
    inputs: sipStreamInputs,
    open: async (node, onAnswer) => ({
      send: async (input) => {
        const socket = connect(node);
        let received = "";
        socket.on("error", () => {});
        socket.on("data", (chunk: Buffer) => {
          const text = chunk.toString("latin1");
          received += text;
          // Each response once, even if its ACK leads to another response.
          for (const message of text.split(/(?<=\r\n)(?=SIP\/2\.0 )/))
            for (const request of leave(message)) socket.write(request);
        });
        const isOpen = await opened(socket, protocol);
        if (isOpen) {
          const { localAddress: host = "127.0.0.1", localPort: port = 0 } = socket;
          const values = { number: node.agents.victim.number, protocol, host, port: String(port) };
          socket.write(fillIn(input, values));
          await sleep(ANSWERS_MS);
        }
        socket.destroy();
        const classes = isOpen ? classesIn(received) : ["not connected"];
        for (const each of classes.length === 0 ? ["none"] : classes) onAnswer(each, input);
      },
      close: async () => {},
    }),
  };
}

async function opened(socket: Socket, protocol: "TCP" | "TLS"): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once(protocol === "TLS" ? "secureConnect" : "connect", () => resolve(true));
  socket.once("close", () => resolve(false));
  const deadline = setTimeout(() => resolve(false), CONNECT_DEADLINE_MS);
  const isOpen = await promise;
  clearTimeout(deadline);
  return isOpen;
}

export const sipOverTcp = target("sip-tcp", "TCP", ({ platform }) =>
  connectTcp({ port: platform.sipPort, host: "127.0.0.1", localAddress: localAddress() }),
);

export const sipOverTls = target("sip-tls", "TLS", ({ tlsPort }) =>
  connectTls({
    socket: connectTcp({ port: tlsPort, host: "127.0.0.1", localAddress: localAddress() }),
    rejectUnauthorized: false,
  }),
);
