/** Fragments of SDP that carry ICE alone (`application/trickle-ice-sdpfrag`, RFC 8840 §9). */
import { isIP } from "node:net";
import type { IceCredentials } from "./ice/ice-agent.ts";
import type { TransportAddress } from "./ice/transport-address.ts";
import { isUsableCandidate, MOST_SDP_LINES, splitLines, splitSections, valueOf } from "./web-sdp.ts";

export interface SdpFragment {
  /** Whose candidates they are; other than those of the connection: an ICE restart. */
  ufrag: string | undefined;
  pwd: string | undefined;
  candidates: readonly SdpCandidate[];
}

export interface SdpCandidate {
  mid: string;
  /** The line, `a=` included. */
  candidate: string;
}

/** Undefined where the text is none. */
export function readFragment(text: string): SdpFragment | undefined {
  const lines = splitLines(text);
  if (lines.length > MOST_SDP_LINES || !lines.every((line) => /^[am]=/.test(line))) return undefined;
  const ufrag = valueOf(lines, "a=ice-ufrag:");
  const pwd = valueOf(lines, "a=ice-pwd:");
  const candidates: SdpCandidate[] = [];
  let mid = "0";
  for (const line of lines) {
    if (line.startsWith("a=mid:")) mid = line.slice("a=mid:".length);
    if (line.startsWith("a=candidate:") && isUsableCandidate(line)) candidates.push({ mid, candidate: line });
  }
  const isFragment = ufrag !== undefined || candidates.length > 0 || lines.includes("a=end-of-candidates");
  return isFragment ? { ufrag, pwd, candidates } : undefined;
}

/**
 * Our side of an ICE restart (RFC 9725 §4.3.3): the addresses of the answer, on the port where the new credentials are known.
 *
 * @param answer as the browser was given it.
 */
export function writeRestartFragment(answer: string, { ufrag, pwd }: IceCredentials, port: number): string {
  const [session, ...media] = splitSections(splitLines(answer));
  const group = session?.lines.find((line) => line.startsWith("a=group:BUNDLE"));
  const tagged = media[0]?.lines ?? [];
  const candidates = media
    .flatMap(({ lines }) => lines)
    .filter((line) => line.startsWith("a=candidate:"))
    .map((line) => line.replace(/^((?:\S+ ){5})\d+/, `$1${port}`));
  const lines = [
    "a=ice-options:trickle ice2",
    ...(group === undefined ? [] : [group]),
    ...tagged.filter((line) => line.startsWith("m=")).map((line) => line.replace(/^(m=\S+) \d+/, "$1 9")),
    ...tagged.filter((line) => line.startsWith("a=mid:")),
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${pwd}`,
    ...candidates,
    "a=end-of-candidates",
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

/** Where a candidate is reached by UDP; undefined where it is not, or only by name. */
export function readCandidate(line: string): TransportAddress | undefined {
  const [, address = "", port = ""] = /^a=candidate:\S+ 1 udp \d+ (\S+) (\d{1,5}) typ /i.exec(line) ?? [];
  return isIP(address) === 0 || Number(port) === 0 || Number(port) > 65_535
    ? undefined
    : { address, port: Number(port) };
}
