import { isIP } from "node:net";
import { maySendTo } from "../../platform/destination-address.ts";
import type { IceCredentials } from "./ice/ice-agent.ts";

/** An offer reduced to what Parley supports, or the reason for its refusal. */
export type OfferReading =
  | { ok: true; offer: BrowserOffer }
  /** `malformed`: not SDP. `unacceptable`: asks for something that Parley does not support. */
  | { ok: false; refusal: "malformed" | "unacceptable"; reason: string };

export interface BrowserOffer {
  /** The offer with Opus as its only codec and without candidates that must not receive checks. */
  sdp: string;
  audioMid: string;
  opusPayloadType: number;
}

interface Section {
  kind: string;
  lines: string[];
}

export const MAX_SDP_LINES = 1000;
const OPUS_PARAMETERS = "minptime=10;useinbandfec=1;maxplaybackrate=16000;stereo=0";
const droppedAttributes = /^a=(rtpmap|fmtp|rtcp-fb|extmap|rid|simulcast|ssrc-group):?/;
/** Removed for the library, which sometimes fails if candidates accompany it. */
const END_OF_CANDIDATES = "a=end-of-candidates";

/**
 * Whether connectivity checks may be sent to a candidate. Host names are excluded: mDNS names resolve only in the browser's own
 * network (RFC 8828 §5), and any other name would make this server query a name server that a stranger chose.
 */
export function isUsableCandidate(line: string): boolean {
  const address = /^a=candidate:(?:\S+ ){4}(\S+) /.exec(line)?.[1] ?? "";
  return isIP(address) !== 0 && maySendTo(address, false);
}

/** Reads a browser's offer: one audio section with Opus, at most one data channel, one connection for both. */
export function readOffer(sdp: string): OfferReading {
  const lines = splitLines(sdp);
  const isWellFormed = lines.every((line) => /^[a-z]=[^\0]*$/.test(line));
  if (lines[0] !== "v=0" || !isWellFormed || lines.length > MAX_SDP_LINES)
    return { ok: false, refusal: "malformed", reason: "must be an SDP offer" };
  const [session, ...media] = splitSections(lines);
  const audio = media.find(({ kind }) => kind === "audio");
  const refuse = (reason: string): OfferReading => ({ ok: false, refusal: "unacceptable", reason });
  const isAlone = media.filter(({ kind }) => kind !== "application").length === 1 && media.length <= 2;
  if (session === undefined || audio === undefined || !isAlone)
    return refuse("The offer must have one audio section and at most one data channel.");
  const opus = findOpus(audio.lines);
  if (opus === undefined) return refuse("The audio section must offer Opus.");
  if (
    !audio.lines.includes("a=sendrecv") &&
    audio.lines.some((line) => /^a=(sendonly|recvonly|inactive)$/.test(line))
  )
    return refuse("The audio section must be sendrecv.");
  const everywhere = [...session.lines, ...audio.lines];
  const needed = ["a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:"];
  if (!needed.every((name) => everywhere.some((line) => line.startsWith(name))))
    return refuse("The offer must have ICE credentials and a DTLS fingerprint.");
  if (media.length > 1 && !session.lines.some((line) => line.startsWith("a=group:BUNDLE")))
    return refuse("The audio section and the data channel must be bundled (BUNDLE).");
  const audioMid = valueOf(audio.lines, "a=mid:") ?? "0";
  return {
    ok: true,
    offer: {
      sdp: [session, ...media].map((section) => narrow(section, opus).join("\r\n")).join("\r\n") + "\r\n",
      audioMid,
      opusPayloadType: opus,
    },
  };
}

/** Adds the agent's stream and the public address to the library's answer. */
export function completeAnswer(
  sdp: string,
  { ssrc, cname, publicAddress }: { ssrc: number; cname: string; publicAddress: string | undefined },
): string {
  const lines = sdp.split("\r\n");
  const complete: string[] = [];
  let isAudio = false;
  let isPublished = publicAddress === undefined;
  for (const line of lines) {
    // The library repeats the browser's streams as ours.
    if (/^a=(msid|ssrc):/.test(line)) continue;
    if (line.startsWith("m=")) isAudio = line.startsWith("m=audio");
    if (!isPublished && line.startsWith("a=candidate:") && publicAddress !== undefined) {
      isPublished = true;
      if (!sdp.includes(` ${publicAddress} `)) complete.push(withAddress(line, publicAddress));
    }
    complete.push(line);
    if (isAudio && line.startsWith("a=mid:"))
      complete.push("a=msid:parley agent", `a=ssrc:${ssrc} cname:${cname}`);
  }
  return complete.join("\r\n");
}

/** ICE credentials of a description; `undefined` if it has none. */
export function iceCredentialsOf(sdp: string): IceCredentials | undefined {
  const lines = splitLines(sdp);
  const [ufrag, pwd] = [valueOf(lines, "a=ice-ufrag:"), valueOf(lines, "a=ice-pwd:")];
  return ufrag === undefined || pwd === undefined ? undefined : { ufrag, pwd };
}

export function splitLines(sdp: string): string[] {
  return sdp.split(/\r\n|\n/).filter((line) => line !== "");
}

/** Session-level lines first, then one section per `m=` line. */
export function splitSections(lines: readonly string[]): Section[] {
  const sections: Section[] = [{ kind: "session", lines: [] }];
  for (const line of lines) {
    if (line.startsWith("m=")) sections.push({ kind: /^m=(\w+)/.exec(line)?.[1] ?? "", lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function findOpus(lines: readonly string[]): number | undefined {
  const match = lines
    .map((line) => /^a=rtpmap:(\d{1,3}) opus\/48000\/2$/i.exec(line))
    .find((each) => each !== null);
  return match === undefined || match === null ? undefined : Number(match[1]);
}

function narrow({ kind, lines }: Section, opus: number): string[] {
  const kept = lines.filter(
    (line) => line !== END_OF_CANDIDATES && (!line.startsWith("a=candidate:") || isUsableCandidate(line)),
  );
  if (kind !== "audio") return kept.filter((line) => !line.startsWith("a=extmap"));
  return [
    ...kept
      .filter((line) => !droppedAttributes.test(line))
      .map((line) =>
        line.startsWith("m=audio") ? line.replace(/^(m=audio \d+ \S+).*/, `$1 ${opus}`) : line,
      ),
    `a=rtpmap:${opus} opus/48000/2`,
    `a=fmtp:${opus} ${OPUS_PARAMETERS}`,
  ];
}

/** Host candidate at another of our addresses. Its base differs, therefore its foundation (RFC 8445 §5.1.1.3). */
function withAddress(candidate: string, address: string): string {
  return candidate.replace(
    /^a=candidate:(\S+) (\d+) (\S+) (\d+) (\S+) /,
    (_match, _foundation, component: string, transport: string, priority: string) =>
      `a=candidate:public ${component} ${transport} ${Number(priority) - 1} ${address} `,
  );
}

export function valueOf(lines: readonly string[], name: string): string | undefined {
  return lines.find((line) => line.startsWith(name))?.slice(name.length);
}
