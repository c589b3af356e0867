import type { SipMessage } from "@parley/client";

export interface LadderStep {
  /** Place of the message in the trace. */
  index: number;
  /** Milliseconds since the first message. */
  atMs: number;
  isSent: boolean;
  /** Such as `INVITE` or `200 OK`. */
  title: string;
  /** `CSeq` of responses: the request that they answer. */
  about: string | undefined;
  kind: "request" | "progress" | "success" | "failure";
  transport: SipMessage["transport"];
  hasSdp: boolean;
}

/** The messages of a trace as arrows between the peer and Parley. */
export function ladderOf(messages: readonly SipMessage[]): LadderStep[] {
  const begin = Date.parse(messages[0]?.at ?? "");
  return messages.map(({ at, direction, text, transport }, index) => {
    const [start = ""] = text.split(/\r?\n/, 1);
    const status = /^SIP\/2\.0 (\d{3}) ?(.*)$/.exec(start);
    const code = Number(status?.[1]);
    return {
      index,
      atMs: Date.parse(at) - begin,
      isSent: direction === "sent",
      title: status === null ? (start.split(" ")[0] ?? "") : `${status[1]} ${status[2]}`.trim(),
      about: status === null ? undefined : /^cseq:\s*\d+\s+(\S+)/im.exec(text)?.[1],
      kind: status === null ? "request" : code < 200 ? "progress" : code < 300 ? "success" : "failure",
      transport,
      hasSdp: /^content-type:\s*application\/sdp|^c:\s*application\/sdp/im.test(text),
    };
  });
}
