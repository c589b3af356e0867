/** What names the session that candidates belong to. */
interface FragmentSession {
  ufrag: string;
  pwd: string;
  mid: string;
}

/** Reads an offer for what its fragments repeat. All candidates are those of the first media line: it is bundled. */
export function readFragmentSession(offer: string): FragmentSession {
  const find = (name: string): string => new RegExp(`^a=${name}:(.+?)\\r?$`, "m").exec(offer)?.[1] ?? "";
  return { ufrag: find("ice-ufrag"), pwd: find("ice-pwd"), mid: find("mid") };
}

/**
 * Candidates as `application/trickle-ice-sdpfrag` (RFC 8840, section 9).
 *
 * @param candidates as `RTCIceCandidate.candidate` gives them.
 * @param isComplete whether no more will come.
 */
export function writeSdpFragment(
  { ufrag, pwd, mid }: FragmentSession,
  candidates: readonly string[],
  isComplete: boolean,
): string {
  const lines = [
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${pwd}`,
    "m=audio 9 UDP/TLS/RTP/SAVPF 0",
    `a=mid:${mid}`,
    ...candidates.map((candidate) => `a=${candidate.replace(/^a=/, "")}`),
    ...(isComplete ? ["a=end-of-candidates"] : []),
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}
