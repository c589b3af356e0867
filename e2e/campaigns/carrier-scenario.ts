/**
 * SIPp as the carrier of a campaign: what becomes of a call depends on the last digit of the called number. Writes a line of
 * log for each INVITE that is no retransmission.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "@parley/testing";
import { mailbox } from "../support/audio/mailbox.ts";
import { writePcap } from "../support/audio/pcap.ts";
import { toPackets } from "../support/audio/recordings.ts";

/** What becomes of a call, by the last digit of the called number. */
export const behaviors = [
  "answers",
  "answers",
  "answers",
  "answers",
  "busy",
  "rings out",
  "drops",
  "machine",
  "down",
  "unknown",
] as const;
export type Behavior = (typeof behaviors)[number];

/** Time from the answer until the callee hangs up. */
const talkMs: Partial<Record<Behavior, number>> = { answers: 1_000, drops: 1 };
const refusals: Partial<Record<Behavior, string>> = {
  busy: "486 Busy Here",
  "rings out": "480 Temporarily Unavailable",
  down: "503 Service Unavailable",
  unknown: "404 Not Found",
};
const RINGING_MS = 1_500;
/** A mailbox records so long before it hangs up. */
const MAILBOX_SECONDS = 20;

const description = `v=0
o=carrier 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 0
a=rtpmap:0 PCMU/8000`;

export interface ReceivedInvite {
  sipCallId: string;
  toNumber: string;
}

export class CampaignCarrier {
  /** Its port on 127.0.0.1. */
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #folder: string;
  #stopped: Promise<ReceivedInvite[]> | undefined;

  static async start(): Promise<CampaignCarrier> {
    const folder = await mkdtemp(path.join(tmpdir(), "parley-carrier-"));
    const file = path.join(folder, "carrier.xml");
    const greeting = path.join(folder, "mailbox.pcap");
    await writePcap(greeting, toPackets((await mailbox({ silenceSeconds: 1 })).pcm, "PCMU"));
    await writeFile(file, scenario(greeting));
    // SIPp takes two more ports for video.
    const [port, mediaPort] = [await freePort(), await freePort(4)];
    const addresses = ["-i", "127.0.0.1", "-p", String(port), "-mi", "127.0.0.1", "-mp", String(mediaPort)];
    const child = spawn("sipp", ["-sf", file, "-t", "u1", ...addresses, "-nostdin", "-trace_logs"], {
      cwd: folder,
      stdio: "ignore",
    });
    return new CampaignCarrier(port, child, folder);
  }

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port;
    this.#process = child;
    this.#folder = folder;
  }

  /** Ends SIPp and returns the INVITEs of its log. Idempotent. */
  async stop(): Promise<ReceivedInvite[]> {
    this.#stopped ??= this.#stop();
    return await this.#stopped;
  }

  async #stop(): Promise<ReceivedInvite[]> {
    const exited = once(this.#process, "exit");
    if (this.#process.exitCode === null && this.#process.kill("SIGTERM")) await exited;
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith("_logs.log"));
    const texts = await Promise.all(
      names.map(async (name) => await readFile(path.join(this.#folder, name), "utf8")),
    );
    await rm(this.#folder, { recursive: true, force: true });
    const invites = texts.join("\n").matchAll(/^INVITE (\S+) (\+\d+)/gm);
    return Array.from(invites, ([, sipCallId = "", toNumber = ""]) => ({ sipCallId, toNumber }));
  }
}

function scenario(greeting: string): string {
  const branches = behaviors.map((_, digit) => {
    return `<strcmp assign_to="order" variable="digit" value="${digit}" /><test assign_to="is${digit}" variable="order" compare="equal" value="0" />`;
  });
  const jumps = behaviors.map((_, digit) => `<nop next="do${digit}" test="is${digit}" />`);
  const names = behaviors.map((_, digit) => `is${digit}`).join(",");
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="The carrier of a campaign">
<recv request="OPTIONS" optional="true" next="options" />
<recv request="INVITE"><action>
  <ereg regexp="[+][0-9]+" search_in="hdr" header="To:" assign_to="called" />
  <ereg regexp="[0-9]@" search_in="hdr" header="To:" assign_to="last" />
  <ereg regexp="[0-9]" search_in="var" variable="last" assign_to="digit" />
  <ereg regexp="&lt;sip:.*" search_in="hdr" header="From:" assign_to="caller" />
  <ereg regexp="sip:[^&gt;]*" search_in="hdr" header="Contact:" assign_to="target" />
  <log message="INVITE [call_id] [$called]" />
  ${branches.join("\n  ")}
</action></recv>
${send(["SIP/2.0 180 Ringing", ...toInvite], false)}
${jumps.join("\n")}
${behaviors.map((behavior, digit) => `<label id="do${digit}" />\n${steps(behavior, greeting)}`).join("\n")}
<label id="options" />
${send(["SIP/2.0 200 OK", ...toInvite], false)}
<label id="end" />
<nop />
<Reference variables="called,last,digit,caller,target,order,${names}" />
</scenario>
`;
}

const toInvite = [
  "[last_Via:]",
  "[last_From:]",
  "[last_To:];tag=[pid]carrier[call_number]",
  "[last_Call-ID:]",
  "[last_CSeq:]",
  "Contact: <sip:carrier@[local_ip]:[local_port]>",
];

/** The call of a killed node gets no ACK and no response: the scenario then ends. */
function steps(behavior: Behavior, greeting: string): string {
  const refusal = refusals[behavior];
  const acknowledged = '<recv request="ACK" timeout="8000" ontimeout="end" />';
  const ring = behavior === "rings out" ? `<pause milliseconds="${RINGING_MS}" />` : "";
  if (refusal !== undefined)
    return `${ring}${send([`SIP/2.0 ${refusal}`, ...toInvite], false, true)}\n${acknowledged.replace("/>", 'next="end" />')}`;
  if (behavior === "machine")
    return `${send(["SIP/2.0 200 OK", ...toInvite], true, true)}
${acknowledged}
<nop><action><exec play_pcap_audio="${greeting}" /></action></nop>
<recv request="BYE" timeout="${MAILBOX_SECONDS * 1_000}" ontimeout="end" />
${send(["SIP/2.0 200 OK", "[last_Via:]", "[last_From:]", "[last_To:]", "[last_Call-ID:]", "[last_CSeq:]"], false)}
<nop next="end" />`;
  const bye = [
    "BYE [$target] SIP/2.0",
    "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
    "From: <sip:callee@[local_ip]:[local_port]>;tag=[pid]carrier[call_number]",
    "To: [$caller]",
    "Call-ID: [call_id]",
    "CSeq: 1 BYE",
    "Max-Forwards: 70",
  ];
  return `${send(["SIP/2.0 200 OK", ...toInvite], true, true)}
${acknowledged}
<pause milliseconds="${talkMs[behavior] ?? 1_000}" />
${send(bye, false)}
<recv response="200" timeout="4000" ontimeout="end" next="end" />`;
}

function send(lines: readonly string[], hasAudio: boolean, isRepeated = false): string {
  const message = hasAudio
    ? [...lines, "Content-Type: application/sdp", "Content-Length: [len]", "", description]
    : [...lines, "Content-Length: 0", ""];
  return `<send${isRepeated ? ' retrans="500"' : ""}><![CDATA[\n${message.join("\n")}\n\n]]></send>`;
}
