import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { TestContext } from "node:test";
import type { CapturedPacket } from "../audio/pcap.ts";
import { Sipp } from "./sipp.ts";

/** One step of a SIPp scenario. */
type Step = string;

export interface Carrier {
  /** The carrier's port on 127.0.0.1. */
  readonly port: number;
  /** Resolves after the last step. Rejects with SIPp's errors if the call did not follow the steps. */
  readonly done: Promise<void>;
  /** Continues the scenario after {@link cue}. */
  readonly cue: () => void;
}

/**
 * Starts a carrier that receives one call: SIPp plays the steps. It ends with the test.
 *
 * @param audio Audio that {@link play} plays.
 */
export async function startCarrier(
  context: TestContext,
  steps: readonly Step[],
  audio?: readonly CapturedPacket[],
): Promise<Carrier> {
  const xml = `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="A carrier">\n${steps.join("\n")}\n</scenario>\n`;
  const front = createSocket("udp4");
  front.bind(0, "127.0.0.1");
  await once(front, "listening");
  const { port } = front.address();
  const sipp = await Sipp.play(xml, { values: { port }, ...(audio !== undefined && { audio }) });
  const call = relay(front, sipp.port);
  context.after(async () => {
    await sipp.stop();
    front.close();
  });
  return { port, done: sipp.done, cue: () => sipp.cue(call.id) };
}

/**
 * Answers a trunk's OPTIONS before SIPp, which takes any first request for its one call. Returns the call's
 * ID once it is known.
 */
function relay(front: Socket, sippPort: number): { id: string } {
  const call = { id: "" };
  let platformPort = 0;
  front.on("message", (datagram, { port }) => {
    const text = datagram.toString("latin1");
    if (port === sippPort) return front.send(datagram, platformPort, "127.0.0.1");
    platformPort = port;
    if (text.startsWith("INVITE ")) call.id = /^Call-ID: *([^\r]+)/im.exec(text)?.[1] ?? "";
    if (!text.startsWith("OPTIONS ")) return front.send(datagram, sippPort, "127.0.0.1");
    const kept = text.split("\r\n").filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line));
    const answer = ["SIP/2.0 200 OK", ...kept, "Content-Length: 0", "", ""].join("\r\n");
    front.send(answer, port, "127.0.0.1");
  });
  return call;
}

interface Expectation {
  header: string;
  /** A POSIX regular expression. */
  pattern: string;
}

/** Receives the INVITE; remembers its sender for {@link hangUp}. */
export function receiveInvite(...expectations: readonly Expectation[]): Step {
  const checks = expectations.map(
    ({ header, pattern }, index) =>
      `<ereg regexp="${escape(pattern)}" search_in="hdr" header="${header}:" check_it="true" assign_to="check${index}" />`,
  );
  const names = ["caller", "target", ...checks.map((_, index) => `check${index}`)];
  return `<recv request="INVITE"><action>
    <ereg regexp="&lt;sip:.*" search_in="hdr" header="From:" check_it="true" assign_to="caller" />
    <ereg regexp="sip:[^&gt;]*" search_in="hdr" header="Contact:" check_it="true" assign_to="target" />
    ${checks.join("\n    ")}
  </action></recv>
  <Reference variables="${names.join(",")}" />`;
}

export function receive(method: "ACK" | "BYE" | "CANCEL"): Step {
  return `<recv request="${method}" />`;
}

interface Response {
  /** `180 Ringing` */
  status: string;
  /** Default: SIPp itself. `{{port}}` is the carrier's port. */
  contact?: string;
  headers?: readonly string[];
  /** True if it contains SDP with G.711 audio. */
  hasAudio?: boolean;
  /** Tag of one of several telephones that ring at the carrier. */
  phone?: string;
  /** CSeq of the INVITE, if another request came after it. */
  inviteSequence?: number;
}

/** A response to the last request, or to the INVITE. */
export function respond({
  status,
  contact = "sip:carrier@[local_ip]:[local_port]",
  headers = [],
  hasAudio = false,
  phone = "carrier",
  inviteSequence,
}: Response): Step {
  const cseq = inviteSequence === undefined ? "[last_CSeq:]" : `CSeq: ${inviteSequence} INVITE`;
  const lines = [
    `SIP/2.0 ${status}`,
    "[last_Via:]",
    "[last_From:]",
    `[last_To:];tag=[pid]${phone}[call_number]`,
    "[last_Call-ID:]",
    cseq,
    `Contact: <${contact}>`,
    ...headers,
  ];
  return send(lines, hasAudio, !status.startsWith("1"));
}

/** 200 to a BYE or CANCEL, whose To needs no tag of ours. */
export function confirm(): Step {
  const lines = ["SIP/2.0 200 OK", "[last_Via:]", "[last_From:]", "[last_To:]", "[last_Call-ID:]"];
  return send([...lines, "[last_CSeq:]"], false, false);
}

/** BYE, and its response. */
export function hangUp(): Step {
  const lines = [
    "BYE [$target] SIP/2.0",
    "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
    "From: <sip:callee@[local_ip]:[local_port]>;tag=[pid]carrier[call_number]",
    "To: [$caller]",
    "Call-ID: [call_id]",
    "CSeq: 1 BYE",
    "Max-Forwards: 70",
  ];
  return `${send(lines, false, true)}\n<recv response="200" />`;
}

/** Waits for {@link Carrier.cue}. A response cannot follow: it would answer the cue. */
export function cue(): Step {
  return "{{cue}}";
}

export function wait(ms: number): Step {
  return `<pause milliseconds="${ms}" />`;
}

/** Starts to play the audio. */
export function play(): Step {
  return `<nop><action><exec play_pcap_audio="{{pcap}}" /></action></nop>`;
}

function send(lines: readonly string[], hasAudio: boolean, isRepeated: boolean): Step {
  const description = [
    "v=0",
    "o=carrier 1 1 IN IP4 [local_ip]",
    "s=-",
    "c=IN IP4 [media_ip]",
    "t=0 0",
    "m=audio [media_port] RTP/AVP 0 101",
    "a=rtpmap:0 PCMU/8000",
    "a=rtpmap:101 telephone-event/8000",
    "a=fmtp:101 0-15",
  ];
  const message = hasAudio
    ? [...lines, "Content-Type: application/sdp", "Content-Length: [len]", "", ...description]
    : [...lines, "Content-Length: 0", ""];
  return `<send${isRepeated ? ' retrans="500"' : ""}><![CDATA[\n${message.join("\n")}\n\n]]></send>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
