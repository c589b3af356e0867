/** SDP fragments for trickle ICE (`application/trickle-ice-sdpfrag`, RFC 8840 §9). */
import { isIP } from "node:net";
import type { IceCredentials } from "./ice/ice-agent.ts";
import type { TransportAddress } from "./ice/transport-address.ts";
import { isUsableCandidate, MAX_SDP_LINES, splitLines, splitSections, valueOf } from "./web-sdp.ts";

export interface SdpFragment {
  /** Username fragment of the candidates. One that differs from the connection's requests an ICE restart. */
  ufrag: string | undefined;
  pwd: string | undefined;
  candidates: readonly SdpCandidate[];
}

export interface SdpCandidate {
  mid: string;
  /** The whole line, including `a=`. */
  candidate: string;
}

/** `undefined` if the text is not an SDP fragment. */
export function readFragment(text: string): SdpFragment | undefined {
  const lines = splitLines(text);
  if (lines.length > MAX_SDP_LINES || !lines.every((line) => /^[am]=/.test(line))) return undefined;
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
 * Our side of an ICE restart (RFC 9725 §4.3.3): the answer's addresses with the relay's port.
 *
 * @param answer The answer that was sent to the browser.
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

/** UDP address of a candidate; `undefined` for other transports and host names. */
export function readCandidate(line: string): TransportAddress | undefined {
  const [, address = "", port = ""] = /^a=candidate:\S+ 1 udp \d+ (\S+) (\d{1,5}) typ /i.exec(line) ?? [];
  return isIP(address) === 0 || Number(port) === 0 || Number(port) > 65_535
    ? undefined
    : { address, port: Number(port) };
}
