import { flipped, fragments, hostileDatagram, spliced } from "../../../packages/sip/src/testing/mutate.ts";
import type { Random } from "../random.ts";

/** The largest IPv4 datagram, minus space for the rest of a message. */
const MAX_PADDING_BYTES = 60_000;
/**
 * Share of valid INVITEs, each of which may occupy one of the node's places: so few that bystanders are not
 * disturbed.
 */
const UNCHANGED_INVITES = 0.01;

const methods = ["OPTIONS", "REGISTER", "BYE", "CANCEL", "ACK", "UPDATE", "PRACK", "INFO", "REFER"];
const furtherMethods = ["SUBSCRIBE", "NOTIFY", "MESSAGE", "PUBLISH", "X".repeat(2000), "OPT\0IONS"];

/** Replace the user or host of an address. */
const hostileParts = ["%00abc", "%", "%zz", "\0", "[", "[::1", "a".repeat(5000), "é", "sip:a:sip:a", ""];
const callIds = ["\0", "a\0b", "a".repeat(3000), '"', "@@@@", "é", "%00", " ", "\u0001\u001f\u007f"];

/** Repeated up to tens of thousands of times: slow for a backtracking parser. */
const repeated = [
  "a",
  " ",
  "\t",
  "\r\n ",
  "sip:a:",
  "<sip:a@b>,",
  ";a=b",
  '"\\',
  "a=\\",
  "(",
  "((\\)",
  "%41",
  "Digest ",
  'Digest realm="a",',
  "[",
  ",",
  "<",
  "\\",
  "=",
  "a@",
  "password=",
  "inline:a",
  "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:",
];
const headers = [
  "Authorization",
  "Proxy-Authorization",
  "Via",
  "From",
  "To",
  "Contact",
  "Route",
  "Record-Route",
  "Call-ID",
  "CSeq",
  "Content-Type",
  "Content-Length",
  "Diversion",
  "History-Info",
  "P-Asserted-Identity",
  "Remote-Party-ID",
  "Session-Expires",
  "Supported",
  "Require",
  "Replaces",
  "Refer-To",
  "Subject",
  "X-A",
  "Authorization: Digest a",
];
const sdpLines = [
  "c=IN IP4 255.255.255.255",
  "c=IN IP4 224.0.0.1",
  "c=IN IP4 169.254.1.1",
  "c=IN IP4 0.0.0.0",
  "c=IN IP6 ff02::1",
  "c=IN IP4 a..b",
  "m=audio 0 RTP/AVP 0",
  "m=audio 65536 RTP/AVP 0",
  "m=audio 9/99999 RTP/AVP 0",
  "m=audio 9 RTP/AVP 999 -1 a",
  "a=rtpmap:0 \0/0/0",
  "a=ptime:0",
  "a=ptime:-1e9",
  "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAA",
  "a=rtcp:99999999999",
  "a=fmtp:101 0-99999999",
  "o=- 99999999999999999999 1 IN IP4 0",
  "t=0",
];

/** Returns a telephone's valid request; values of a run are in braces. */
function request(method: string, { sdp = "", id = "fuzz", uri = "sip:{{number}}@127.0.0.1" } = {}): string {
  return [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/{{protocol}} {{host}}:{{port}};branch=z9hG4bK${id};rport`,
    "Max-Forwards: 70",
    `From: <sip:+15550140000@127.0.0.1>;tag=${id}`,
    `To: <${uri}>`,
    `Call-ID: ${id}`,
    `CSeq: 1 ${method}`,
    "Contact: <sip:fuzz@{{host}}:{{port}}>",
    ...(sdp === "" ? [] : ["Content-Type: application/sdp"]),
    `Content-Length: ${Buffer.byteLength(sdp)}`,
    "",
    sdp,
  ].join("\r\n");
}

const offer = [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=-",
  "c=IN IP4 127.0.0.1",
  "t=0 0",
  "m=audio 9 RTP/AVP 0 8 101",
  "a=rtpmap:101 telephone-event/8000",
  "a=sendrecv",
  "",
].join("\r\n");

type Kind = (random: Random, id: string) => Buffer;

const withHostileUser: Kind = (random, id) => {
  const uri = `sip:${random.pick(hostileParts)}@${random.chance(0.5) ? "127.0.0.1" : random.pick(hostileParts)}`;
  return Buffer.from(request(random.pick(["INVITE", "OPTIONS", "REGISTER"]), { uri, id, sdp: offer }));
};

const withCallId: Kind = (random, id) =>
  Buffer.from(
    request("INVITE", { sdp: offer, id }).replace(
      /^Call-ID: .*$/m,
      () => `Call-ID: ${random.pick(callIds)}${id}`,
    ),
  );

const withOtherMethod: Kind = (random, id) => {
  const method = random.pick([...methods, ...furtherMethods]);
  return spliced(request(method, { id }), random.below, random.chance(0.5) ? fragments : [""]);
};

/** Expands one header field or one SDP line to the size of a datagram. */
const withPadding: Kind = (random, id) => {
  const piece = random.pick(repeated);
  const padding = piece.repeat(Math.ceil(random.length(MAX_PADDING_BYTES) / piece.length));
  if (random.chance(0.3)) return Buffer.from(request("INVITE", { id, sdp: `${offer}a=${padding}\r\n` }));
  const header = `${random.pick(headers)}: ${padding}`;
  return Buffer.from(
    request(random.pick(["INVITE", ...methods]), { id }).replace("\r\n", () => `\r\n${header}\r\n`),
  );
};

const withHostileSdp: Kind = (random, id) => {
  const lines = offer.split("\r\n");
  for (let change = 0; change <= random.below(4); change++)
    lines.splice(random.below(lines.length), random.below(2), random.pick(sdpLines));
  return Buffer.from(request("INVITE", { id, sdp: lines.join("\r\n") }));
};

const kinds: readonly (readonly [probability: number, kind: Kind])[] = [
  [0.4, (random) => hostileDatagram(random.next)],
  [0.15, withPadding],
  [0.1, withHostileUser],
  [0.05, withCallId],
  [0.1, withOtherMethod],
  [0.05, withHostileSdp],
  [0.08, (random, id) => flipped(Buffer.from(request("INVITE", { id, sdp: offer })), random.below)],
  [0.06, (random, id) => spliced(request("INVITE", { id, sdp: offer }), random.below, fragments)],
  [UNCHANGED_INVITES, (_random, id) => Buffer.from(request("INVITE", { id, sdp: offer }))],
];
const total = kinds.reduce((sum, [probability]) => sum + probability, 0);

/** SIP messages for any transport. */
export function sipInputs(random: Random): () => Buffer {
  return () => {
    const id = `fuzz${random.below(2 ** 31)}`;
    let choice = random.next() * total;
    const [, kind] = kinds.find(([probability]) => (choice -= probability) < 0) ?? [];
    return kind?.(random, id) ?? Buffer.alloc(0);
  };
}

/**
 * The same messages as a stream: several in one piece, truncated, with bytes between them, or with wrong
 * lengths.
 */
export function sipStreamInputs(random: Random): () => Buffer {
  const message = sipInputs(random);
  return () => {
    const parts = Array.from({ length: 1 + random.below(4) }, () => message());
    if (random.chance(0.2)) parts.push(Buffer.from("\r\n".repeat(random.length(20_000))));
    if (random.chance(0.1)) parts.push(random.bytes(random.length(2000)));
    const stream = Buffer.concat(parts);
    if (random.chance(0.2)) return stream.subarray(0, random.below(stream.length + 1));
    if (!random.chance(0.2)) return stream;
    const lengths = ["-1", "99999999999", "1e3", "0x10", "", "18446744073709551616", "1, 2"];
    const text = stream.toString("latin1");
    return Buffer.from(
      text.replace(/Content-Length: \d+/, `Content-Length: ${random.pick(lengths)}`),
      "latin1",
    );
  };
}
