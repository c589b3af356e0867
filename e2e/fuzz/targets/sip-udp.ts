import { setTimeout as sleep } from "node:timers/promises";
import { Strangers } from "../datagrams.ts";
import { fillIn, type Target } from "../target.ts";
import { classesIn, leave } from "./sip-answers.ts";
import { sipInputs } from "./sip-inputs.ts";

const STRANGERS = 32;
/** Time for the answers to the last messages. */
const LAST_ANSWERS_MS = 500;

export const sipOverUdp: Target = {
  name: "sip-udp",
  concurrency: 8,
  pauseMs: 15,
  inputs: sipInputs,
  open: async ({ platform, agents }, onAnswer) => {
    const { sipPort } = platform;
    const strangers = await Strangers.open(STRANGERS, (datagram, socket) => {
      const text = datagram.toString("latin1");
      for (const each of classesIn(text)) onAnswer(each);
      for (const message of leave(text)) socket.send(message, sipPort, "127.0.0.1");
    });
    return {
      send: async (input) => {
        const socket = strangers.next();
        const { address: host, port } = socket.address();
        const values = { number: agents.victim.number, protocol: "UDP", host, port: String(port) };
        socket.send(fillIn(input, values), sipPort, "127.0.0.1");
      },
      close: async () => {
        await sleep(LAST_ANSWERS_MS);
        strangers.close();
      },
    };
  },
};
