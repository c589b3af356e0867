/** What passed between the platform and the other side of a call, to find out why one went wrong. */
import { type Static, Type } from "typebox";
import { callSchema } from "./calls.ts";
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
      description: "The message. Passwords, what proves them, and SRTP keys are replaced by asterisks.",
    }),
  },
  { title: "SipMessage" },
);

const callTraceSchema = Type.Object(
  {
    callId: idSchema,
    messages: Type.Array(sipMessageSchema, {
      description: "In the order in which they passed: the first 500, of at most 1 MiB together.",
    }),
    media: callSchema.properties.quality,
  },
  { title: "CallTrace" },
);

export type CallTrace = Static<typeof callTraceSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the call." } });

export const getCallTraceRoute = defineRoute({
  method: "GET",
  path: "/calls/{id}/trace",
  operationId: "getCallTrace",
  tag: "Calls",
  summary: "Get the SIP messages of a call and how the network treated its audio",
  description:
    "Messages appear within about two seconds and are kept for as many days as the operator set (seven by default); afterwards the list is empty.",
  params,
  status: 200,
  response: dataOf(callTraceSchema),
});

export const getCallTracePcapRoute = defineRoute({
  method: "GET",
  path: "/calls/{id}/trace.pcap",
  operationId: "getCallTracePcap",
  tag: "Calls",
  summary: "Download the SIP messages of a call as a capture file",
  description:
    "For Wireshark and its like. Every message is one UDP datagram, whatever transport it came by; the headers below SIP are made up.",
  params,
  status: 200,
  contentType: "application/vnd.tcpdump.pcap",
  response: Type.Unsafe<Uint8Array>({ type: "string", format: "binary" }),
});
