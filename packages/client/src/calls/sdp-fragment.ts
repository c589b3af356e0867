/** Identifies the session to which candidates belong. */
interface FragmentSession {
  ufrag: string;
  pwd: string;
  mid: string;
}

/**
 * Reads the part of a description or fragment that fragments repeat. All candidates belong to the first media
 * line, because media is bundled.
 */
export function readFragmentSession(sdp: string): FragmentSession {
  const find = (name: string): string => new RegExp(`^a=${name}:(.+?)\\r?$`, "m").exec(sdp)?.[1] ?? "";
  return { ufrag: find("ice-ufrag"), pwd: find("ice-pwd"), mid: find("mid") };
}

/**
 * Candidates as `application/trickle-ice-sdpfrag` (RFC 8840 §9).
 *
 * @param candidates values of `RTCIceCandidate.candidate`.
 * @param isComplete true if there are no more candidates.
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

/**
 * An answer after an ICE restart: has the credentials and candidates of the server's fragment; everything else,
 * in particular DTLS, is unchanged.
 */
export function applySdpFragment(answer: string, fragment: string): string {
  const { ufrag, pwd } = readFragmentSession(fragment);
  const candidates = linesOf(fragment).filter((line) => candidatePattern.test(line));
  let isTagged = true;
  const lines = linesOf(answer)
    .filter((line) => !candidatePattern.test(line))
    .flatMap((line) => {
      if (line.startsWith("a=ice-ufrag:")) return [`a=ice-ufrag:${ufrag}`];
      if (line.startsWith("a=ice-pwd:")) return [`a=ice-pwd:${pwd}`];
      if (!isTagged || !line.startsWith("a=mid:")) return [line];
      isTagged = false;
      return [line, ...candidates];
    });
  return lines.map((line) => `${line}\r\n`).join("");
}

const candidatePattern = /^a=(candidate:|end-of-candidates$)/;

function linesOf(sdp: string): string[] {
  return sdp.split(/\r?\n/).filter((line) => line !== "");
}
