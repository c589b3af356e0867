/** SIP messages of a call, for troubleshooting. */
import { type Static, Type } from "typebox";
import { callSchema } from "./call.ts";
import { defineRoute } from "../route.ts";
import { dataOf, idSchema, timestampSchema } from "../schemas.ts";

const endSchema = Type.Object({ address: Type.String(), port: Type.Integer() }, { title: "NetworkEnd" });

const sipMessageSchema = Type.Object(
  {
    at: timestampSchema,
    direction: Type.Enum(["received", "sent"]),
    transport: Type.Enum(["UDP", "TCP", "TLS"]),
    local: endSchema,
    peer: endSchema,
    text: Type.String({
      description: "SIP message. Passwords, digest responses and SRTP keys are replaced by asterisks.",
    }),
  },
  { title: "SipMessage" },
);

const sipTraceSchema = Type.Object(
  {
    callId: idSchema,
    messages: Type.Array(sipMessageSchema, {
      description: "Messages in order: the first 500, with at most 1 MiB in total.",
    }),
    media: callSchema.properties.quality,
  },
  { title: "SipTrace" },
);

export type SipTrace = Static<typeof sipTraceSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the call." } });

export const getCallTraceRoute = defineRoute({
  method: "GET",
  path: "/calls/{id}/trace",
  operationId: "getCallTrace",
  tag: "Calls",
  summary: "Get the SIP messages and the network quality of a call",
  description:
    "Messages appear within about two seconds. They are deleted after the number of days set by the operator (default: 7); the list is then empty.",
  params,
  status: 200,
  response: dataOf(sipTraceSchema),
});

export const getCallTracePcapRoute = defineRoute({
  method: "GET",
  path: "/calls/{id}/trace.pcap",
  operationId: "getCallTracePcap",
  tag: "Calls",
  summary: "Download the SIP messages of a call as a pcap file",
  description:
    "Capture file for Wireshark and similar tools. Each message is one UDP datagram for every transport; the IP and UDP headers are generated.",
  params,
  status: 200,
  contentType: "application/vnd.tcpdump.pcap",
  response: Type.Unsafe<Uint8Array>({ type: "string", format: "binary" }),
});
