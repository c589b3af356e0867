import { randomBytes } from "node:crypto";
import { startTestCall } from "../support/web/browser-caller.ts";
import type { FuzzedNode } from "./node/fuzzed-node.ts";
import { exchange, httpRequest } from "./raw-http.ts";
import { whenThereIsRoom } from "../support/platform/when-there-is-room.ts";

/**
 * ICE credentials of the browser's side in every offer, constant so that inputs can contain them in every
 * run.
 */
export const offeredIce = { ufrag: "fuzz", pwd: "fuzzfuzzfuzzfuzzfuzzfuzz" } as const;

/** A browser's offer, without a real browser. */
export const offer = [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0 1",
  "m=audio 9 UDP/TLS/RTP/SAVPF 111",
  "c=IN IP4 0.0.0.0",
  `a=ice-ufrag:${offeredIce.ufrag}`,
  `a=ice-pwd:${offeredIce.pwd}`,
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "AB").join(":")}`,
  "a=setup:actpass",
  "a=mid:0",
  "a=sendrecv",
  "a=rtcp-mux",
  "a=rtpmap:111 opus/48000/2",
  "a=fmtp:111 minptime=10;useinbandfec=1",
  "a=ssrc:77 cname:fuzz",
  "a=candidate:1 1 udp 2113937151 127.0.0.1 9 typ host",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "c=IN IP4 0.0.0.0",
  `a=ice-ufrag:${offeredIce.ufrag}`,
  `a=ice-pwd:${offeredIce.pwd}`,
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "AB").join(":")}`,
  "a=setup:actpass",
  "a=mid:1",
  "a=sctp-port:5000",
  "",
].join("\r\n");

/** A web call of the fuzzer. */
export interface OwnWebCall {
  callId: string;
  token: string;
  /** ICE credentials of the node, if the call was joined. */
  ice: { ufrag: string; pwd: string };
}

/**
 * Starts a web call. A call that is not joined ends by itself. Each counts toward the limit of test calls per
 * minute.
 */
export async function startOwnWebCall(node: FuzzedNode, isJoined: boolean): Promise<OwnWebCall> {
  const { platform, agents } = node;
  const start = async () => await startTestCall(platform, agents.victim.agentId);
  const { callId, token } = await whenThereIsRoom(start);
  const none = { ufrag: randomBytes(3).toString("hex"), pwd: randomBytes(12).toString("hex") };
  if (!isJoined) return { callId, token, ice: none };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/sdp" };
  const bytes = httpRequest("POST", `/rtc/calls/${callId}`, { headers, body: offer });
  const answer = await exchange({ port: node.platform.httpPort, bytes });
  const find = (name: string): string => new RegExp(`^a=${name}:(.+?)\\r?$`, "m").exec(answer)?.[1] ?? "";
  if (!answer.startsWith("HTTP/1.1 201")) throw new Error(`the fuzzer's own offer was refused: ${answer}`);
  return { callId, token, ice: { ufrag: find("ice-ufrag"), pwd: find("ice-pwd") } };
}

export async function endOwnWebCall({ platform }: FuzzedNode, { callId, token }: OwnWebCall): Promise<void> {
  const bytes = httpRequest("DELETE", `/rtc/calls/${callId}/session`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await exchange({ port: platform.httpPort, bytes });
}
