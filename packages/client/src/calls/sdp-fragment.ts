/** What names the session that candidates belong to. */
interface FragmentSession {
  ufrag: string;
  pwd: string;
  mid: string;
}

/** Reads a description, or a fragment, for what its fragments repeat. All candidates are those of the first media line: it is bundled. */
export function readFragmentSession(sdp: string): FragmentSession {
  const find = (name: string): string => new RegExp(`^a=${name}:(.+?)\\r?$`, "m").exec(sdp)?.[1] ?? "";
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

/**
 * An answer as it is after an ICE restart: with the credentials and candidates of the server's fragment in place of its own,
 * all else, DTLS above all, as it was.
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
