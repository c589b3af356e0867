import type { MediaDirection } from "./description.ts";

/** A direction as two flags. */
interface Flow {
  sends: boolean;
  receives: boolean;
}

const flows: Record<MediaDirection, Flow> = {
  sendrecv: { sends: true, receives: true },
  sendonly: { sends: true, receives: false },
  recvonly: { sends: false, receives: true },
  inactive: { sends: false, receives: false },
};

const ORIGIN = /^(o=\S+ )(\S+) (\d+)( .*)$/m;
const DIRECTION_LINE = /^a=(sendrecv|sendonly|recvonly|inactive)\r?$/;

/**
 * A new description in our session: it keeps the user and session ID of the previous one, and its version is one
 * higher if anything else changed (RFC 3264 §8). Text without an `o=` line is returned unchanged.
 */
export function continueOrigin(sdp: string, previous: string): string {
  const before = ORIGIN.exec(previous);
  if (before === null || !ORIGIN.test(sdp)) return sdp;
  const [, user = "", sessionId = "", version = "0"] = before;
  const withVersion = (number: bigint): string =>
    sdp.replace(
      ORIGIN,
      (_line, _user, _id, _version, rest: string) => `${user}${sessionId} ${number}${rest}`,
    );
  const unchanged = withVersion(BigInt(version));
  return unchanged === previous ? previous : withVersion(BigInt(version) + 1n);
}

/** Narrows every stream of a description to the direction `limit`, as seen by its writer; never widens one. */
export function narrowDirection(sdp: string, limit: MediaDirection): string {
  return limit === "sendrecv" ? sdp : mapDirections(sdp, (direction) => intersect(direction, limit));
}

/**
 * Adapts our last answer to a new offer with the same streams: narrows each stream to what the offerer's
 * direction permits (RFC 3264 §6.1).
 */
export function answerDirections(sdp: string, offer: string): string {
  const offered = streamDirections(offer);
  return mapDirections(sdp, (direction, index) =>
    intersect(direction, counterpart(offered[index] ?? "sendrecv")),
  );
}

/** Our description while the peer is on hold (RFC 3264 §8.4): it sends but does not receive. */
export function holdDirections(sdp: string): string {
  return narrowDirection(sdp, "sendonly");
}

/** True if every audio stream toward the writer is stopped: the writer has put the call on hold. */
export function isHolding(sdp: string): boolean {
  const directions = streamDirections(sdp);
  return directions.length > 0 && directions.every((direction) => !flows[direction].receives);
}

function intersect(left: MediaDirection, right: MediaDirection): MediaDirection {
  const sends = flows[left].sends && flows[right].sends;
  const receives = flows[left].receives && flows[right].receives;
  if (sends) return receives ? "sendrecv" : "sendonly";
  return receives ? "recvonly" : "inactive";
}

function counterpart(direction: MediaDirection): MediaDirection {
  if (direction === "sendonly") return "recvonly";
  return direction === "recvonly" ? "sendonly" : direction;
}

/** The session-level part of a description, followed by one part per stream. */
function sections(sdp: string): string[] {
  return sdp.split(/^(?=m=)/m);
}

/** The direction of every stream that is not rejected; `sendonly` for a zero address (RFC 3264 §8.4). */
function streamDirections(sdp: string): MediaDirection[] {
  const [session = "", ...streams] = sections(sdp);
  const overall = directionIn(session) ?? "sendrecv";
  const connection = /^c=IN IP[46] (\S+)/m;
  const sessionAddress = connection.exec(session)?.[1];
  return streams.map((stream) => {
    const direction = directionIn(stream) ?? overall;
    const address = connection.exec(stream)?.[1] ?? sessionAddress;
    return address === "0.0.0.0" || address === "::" ? intersect(direction, "sendonly") : direction;
  });
}

function directionIn(section: string): MediaDirection | undefined {
  const lines = section.split("\n").map((line) => DIRECTION_LINE.exec(line)?.[1]);
  return lines.find((found): found is MediaDirection => found !== undefined);
}

function mapDirections(
  sdp: string,
  change: (direction: MediaDirection, index: number) => MediaDirection,
): string {
  const [session = "", ...streams] = sections(sdp);
  if (streams.length === 0) return sdp;
  const overall = directionIn(session) ?? "sendrecv";
  const changed = streams.map((stream, index) => {
    const current = directionIn(stream) ?? overall;
    const wanted = change(current, index);
    if (wanted === current) return stream;
    const lines = stream.split("\n").filter((line) => !DIRECTION_LINE.test(line));
    const isEnded = lines.at(-1) === "";
    const newLine = `a=${wanted}\r`;
    if (isEnded) lines.splice(-1, 0, newLine);
    else lines.push(newLine);
    return lines.join("\n");
  });
  return session + changed.join("");
}
