import { createRequire } from "node:module";
import { serve } from "../support/peer.ts";
import { ADDRESS, type AnsweringMethods, AUDIO } from "./answering.ts";

/** Baseline: `sip@0.0.6` answers each request at once and stores no state. */

interface Message {
  method?: string;
  content?: string;
  headers: { to: { params: Record<string, string> }; [name: string]: unknown };
}

interface Remote {
  protocol: string;
  address: string;
  port: number;
}

interface SipLibrary {
  makeTransport(
    options: { address: string; port: number; udp: true; tcp: false },
    receive: (message: Message, remote: Remote) => void,
  ): { send(remote: Remote, message: Message): void };
  makeResponse(request: Message, status: number, reason: string): Message;
}

const library: SipLibrary = createRequire(new URL("../../packages/sip/package.json", import.meta.url))("sip");

/** Fixed, because the library cannot choose a free port. */
const PORT = 15_060;

const sdp = [
  "v=0",
  `o=- 1 1 IN IP4 ${ADDRESS}`,
  "s=-",
  `c=IN IP4 ${ADDRESS}`,
  "t=0 0",
  `m=audio ${AUDIO.port} RTP/AVP 0`,
  "a=rtpmap:0 PCMU/8000",
  "a=ptime:20",
  "a=sendrecv",
  "",
].join("\r\n");

const methods: AnsweringMethods = {
  listen: () => {
    const transport = library.makeTransport(
      { address: ADDRESS, port: PORT, udp: true, tcp: false },
      (request, remote) => {
        if (request.method === undefined || request.method === "ACK") return;
        const response = library.makeResponse(request, 200, "OK");
        if (request.method === "INVITE") {
          response.headers.to.params["tag"] = "baseline";
          response.headers["contact"] = [{ uri: `sip:${ADDRESS}:${PORT}` }];
          response.headers["content-type"] = "application/sdp";
          response.content = sdp;
        }
        transport.send(remote, response);
      },
    );
    return Promise.resolve(PORT);
  },
};

serve(methods);
