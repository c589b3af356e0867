import { flipped, spliced } from "../../../packages/sip/src/testing/mutate.ts";
import { endOwnWebCall, offer, offeredIce, startOwnWebCall } from "../own-web-call.ts";
import { exchange, httpRequest, tellAnswers } from "../raw-http.ts";
import type { Random } from "../random.ts";
import { fillIn, type Target } from "../target.ts";

const MAX_BODY_BYTES = 80_000;
const SDP = "application/sdp";
const FRAGMENT = "application/trickle-ice-sdpfrag";

const hostileLines = [
  "m=audio 9 UDP/TLS/RTP/SAVPF 111",
  "m=video 9 UDP/TLS/RTP/SAVPF 96",
  "m=audio 0 UDP/TLS/RTP/SAVPF",
  "m=",
  "a=group:BUNDLE 0 0 1 9",
  "a=mid:",
  "a=mid:0",
  "a=rtpmap:111 opus/0/255",
  "a=rtpmap:-1 opus/48000/2",
  "a=rtpmap:99999999999 opus/48000/2",
  "a=fmtp:111 maxplaybackrate=-1;ptime=0",
  "a=fingerprint:sha-256 AB",
  "a=fingerprint:md5 00",
  "a=fingerprint:sha-256 ",
  "a=setup:holdconn",
  "a=setup:",
  "a=ice-ufrag:",
  `a=ice-ufrag:${"u".repeat(5000)}`,
  "a=ice-ufrag:a b\tc",
  `a=ice-pwd:${"p".repeat(5000)}`,
  "a=ice-lite",
  "a=candidate:1 1 udp 2113937151 127.0.0.1 9 typ host",
  "a=candidate:1 1 udp 99999999999999 999.1.1.1 99999 typ host",
  "a=candidate:1 1 tcp 1 ::1 9 typ host tcptype passive",
  "a=candidate:1 1 udp 1 evil.example 9 typ host",
  "a=candidate:1 1 udp 1 a.local 9 typ host",
  "a=candidate:",
  "a=candidate:1 1 udp 1 127.0.0.1 9 typ host\0",
  "a=end-of-candidates",
  "a=ssrc:99999999999 cname:a",
  "a=ssrc:-1 msid:a b",
  "a=extmap:99999 urn:a",
  "a=sctp-port:0",
  "a=sctp-port:99999999",
  "a=max-message-size:0",
  "a=rid:1 send",
  "a=simulcast:send 1;2;3",
  "a=\0",
  "a=é",
  "b=AS:-1",
  "c=IN IP6 ::::",
  "o=- \0 0 IN IP4 0",
];
const fragmentLines = [
  `a=ice-ufrag:${offeredIce.ufrag}`,
  `a=ice-pwd:${offeredIce.pwd}`,
  "m=audio 9 UDP/TLS/RTP/SAVPF 0",
  "a=mid:0",
  "a=candidate:1 1 udp 2113937151 127.0.0.1 9 typ host",
  "a=end-of-candidates",
];

function hostile(lines: readonly string[], random: Random): string {
  const changed = [...lines];
  for (let change = 0; change <= random.below(5); change++)
    changed.splice(random.below(changed.length), random.below(2), random.pick(hostileLines));
  // Repeats one of them thousands of times.
  if (random.chance(0.1)) {
    const line = random.pick([...hostileLines, ...lines]);
    const times = Math.floor(random.length(MAX_BODY_BYTES) / (line.length + 2));
    changed.push(...Array.from({ length: times }, () => line));
  }
  return changed.join("\r\n");
}

function body(lines: readonly string[], random: Random): string {
  const text = hostile(lines, random);
  if (random.chance(0.1)) return flipped(Buffer.from(text), random.below).toString("latin1");
  if (random.chance(0.1)) return spliced(text, random.below, ["\r", "\n", "\0", ":", " ", "a="]).toString();
  return random.chance(0.05) ? random.bytes(random.length(MAX_BODY_BYTES)).toString("latin1") : `${text}\r\n`;
}

function whipInputs(random: Random): () => Buffer {
  const sdpLines = offer.split("\r\n").filter((line) => line !== "");
  return () => {
    const authorization = random.chance(0.95)
      ? "Bearer {{token}}"
      : random.pick(["Bearer", "Bearer \0", "Basic a"]);
    const choice = random.next();
    const etag = random.chance(0.7) ? { "if-match": random.pick(["*", "*", "*", '"', '"a"', ""]) } : {};
    const headers = { authorization, ...etag };
    if (choice < 0.4)
      return httpRequest("POST", "/rtc/calls/{{fresh}}", {
        headers: {
          ...headers,
          "content-type": SDP,
          authorization: authorization.replace("token", "freshToken"),
        },
        body: body(sdpLines, random),
      });
    const session = `/rtc/calls/${random.chance(0.95) ? "{{joined}}" : "..%2f"}/session`;
    if (choice < 0.97) {
      const isFragment = random.chance(0.7);
      return httpRequest("PATCH", session, {
        headers: { ...headers, "content-type": isFragment ? FRAGMENT : random.pick([SDP, "text/plain"]) },
        body: body(isFragment ? fragmentLines : sdpLines, random),
      });
    }
    return httpRequest(random.pick(["DELETE", "GET", "PUT"]), session, {
      headers: { ...headers, authorization: "Bearer x" },
    });
  };
}

export const whip: Target = {
  name: "whip",
  concurrency: 2,
  pauseMs: 5,
  inputs: whipInputs,
  open: async (node, onAnswer) => {
    const joined = await startOwnWebCall(node, true);
    const fresh = await startOwnWebCall(node, false);
    const values = {
      joined: joined.callId,
      token: joined.token,
      fresh: fresh.callId,
      freshToken: fresh.token,
    };
    return {
      send: async (input) => {
        const bytes = fillIn(input, values);
        tellAnswers(await exchange({ port: node.platform.httpPort, bytes }), onAnswer, input);
      },
      close: async () => {
        for (const call of [joined, fresh]) await endOwnWebCall(node, call);
      },
    };
  },
};
