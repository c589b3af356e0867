import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** A test message of RFC 4475, byte for byte as in its appendix A; `sip@0.0.6` contains the unpacked archive. */
export function tortureMessage(name: string): Buffer {
  return readFileSync(require.resolve(`sip/test/messages/${name}.dat`));
}

/** All message names, in the order of their sections. */
export const tortureNames = [
  // §3.1.1: valid messages.
  "wsinv",
  "intmeth",
  "esc01",
  "escnull",
  "esc02",
  "lwsdisp",
  "longreq",
  "dblreq",
  "semiuri",
  "transports",
  "mpart01",
  "unreason",
  "noreason",
  // §3.1.2: invalid messages.
  "badinv01",
  "clerr",
  "ncl",
  "scalar02",
  "scalarlg",
  "quotbal",
  "ltgtruri",
  "lwsruri",
  "lwsstart",
  "trws",
  "escruri",
  "baddate",
  "regbadct",
  "badaspec",
  "baddn",
  "badvers",
  "mismatch01",
  "mismatch02",
  "bigcode",
  // §3.2 to §3.4: transaction layer, application layer, and RFC 2543 compatibility.
  "badbranch",
  "insuf",
  "unkscm",
  "novelsc",
  "unksm2",
  "bext01",
  "invut",
  "regaut01",
  "multi01",
  "mcl01",
  "bcast",
  "zeromf",
  "cparam01",
  "cparam02",
  "regescrt",
  "sdp01",
  "inv2543",
] as const;

function message(lines: readonly string[], sdp: readonly string[] = []): string {
  const body = sdp.map((line) => `${line}\r\n`).join("");
  const type = body === "" ? [] : ["Content-Type: application/sdp"];
  // The lengths printed in the RFC do not match the printed bodies.
  return [...lines, ...type, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\r\n");
}

const registration = (host: string): string =>
  message([
    `REGISTER sip:${host} SIP/2.0`,
    "To: sip:user@example.com",
    "From: sip:user@example.com;tag=81x2",
    "Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111",
    "Call-ID: SSG9559905523997077@hlau_4100",
    'Contact: "Caller" <sip:caller@[2001:db8::1]>',
    "Max-Forwards: 70",
    "CSeq: 98176 REGISTER",
  ]);

const options = (host: string): string =>
  message([
    `OPTIONS sip:user@${host} SIP/2.0`,
    `To: sip:user@${host}`,
    "From: sip:user@example.com;tag=810x2",
    "Via: SIP/2.0/UDP lab1.east.example.com;branch=z9hG4bKas3-111",
    "Call-ID: G9559905523997077@hlau_4100",
    "CSeq: 689 OPTIONS",
    "Max-Forwards: 70",
  ]);

const videoFeed = (origin: string, name: string): string[] => [
  "v=0",
  `o=assistant 971731711378798081 0 IN IP6 ${origin}`,
  `s=${name}`,
  `c=IN IP6 ${origin}`,
  "t=3338481189 3370017201",
  "m=audio 6000 RTP/AVP 2",
  "a=rtpmap:2 G726-32/8000",
  "m=video 6024 RTP/AVP 107",
  "a=rtpmap:107 H263-1998/90000",
];

/** The test messages of RFC 5118 §4, by section. */
export const ipv6TortureMessages = {
  "4.1 good": registration("[2001:db8::10]"),
  "4.2 without brackets": registration("2001:db8::10"),
  "4.3 port inside the brackets": registration("[2001:db8::10:5070]"),
  "4.4 port behind the brackets": registration("[2001:db8::10]:5070"),
  "4.5 received in brackets": message([
    "BYE sip:[2001:db8::10] SIP/2.0",
    "To: sip:user@example.com;tag=bd76ya",
    "From: sip:user@example.com;tag=81x2",
    "Via: SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=z9hG4bKas3-111",
    "Call-ID: SSG9559905523997077@hlau_4100",
    "Max-Forwards: 70",
    "CSeq: 321 BYE",
  ]),
  "4.5 received without brackets": message([
    "OPTIONS sip:[2001:db8::10] SIP/2.0",
    "To: sip:user@example.com",
    "From: sip:user@example.com;tag=81x2",
    "Via: SIP/2.0/UDP [2001:db8::9:1];received=2001:db8::9:255;branch=z9hG4bKas3",
    "Call-ID: SSG95523997077@hlau_4100",
    "Max-Forwards: 70",
    'Contact: "Caller" <sip:caller@[2001:db8::9:1]>',
    "CSeq: 921 OPTIONS",
  ]),
  "4.6 addresses in SDP": message(
    [
      "INVITE sip:user@[2001:db8::10] SIP/2.0",
      "To: sip:user@[2001:db8::10]",
      "From: sip:user@example.com;tag=81x2",
      "Via: SIP/2.0/UDP [2001:db8::20];branch=z9hG4bKas3-111",
      "Call-ID: SSG9559905523997077@hlau_4100",
      'Contact: "Caller" <sip:caller@[2001:db8::20]>',
      "CSeq: 8612 INVITE",
      "Max-Forwards: 70",
    ],
    videoFeed("2001:db8::20", "Live video feed for today's meeting"),
  ),
  "4.7 both families in Via": message([
    "BYE sip:user@host.example.net SIP/2.0",
    "Via: SIP/2.0/UDP [2001:db8::9:1]:6050;branch=z9hG4bKas3-111",
    "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKjhja8781hjuaij65144",
    "Via: SIP/2.0/TCP [2001:db8::9:255];branch=z9hG4bK451jj;received=192.0.2.200",
    "Call-ID: 997077@lau_4100",
    "Max-Forwards: 70",
    "CSeq: 89187 BYE",
    "To: sip:user@example.net;tag=9817--94",
    "From: sip:user@example.com;tag=81x2",
  ]),
  "4.8 both families in SDP": message(
    [
      "INVITE sip:user@[2001:db8::10] SIP/2.0",
      "To: sip:user@[2001:db8::10]",
      "From: sip:user@example.com;tag=81x2",
      "Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111",
      "Call-ID: SSG9559905523997077@hlau_4100",
      'Contact: "Caller" <sip:caller@[2001:db8::9:1]>',
      "Max-Forwards: 70",
      "CSeq: 8912 INVITE",
    ],
    [
      "v=0",
      "o=bob 280744730 28977631 IN IP4 host.example.com",
      "s=",
      "t=0 0",
      "m=audio 22334 RTP/AVP 0",
      "c=IN IP4 192.0.2.1",
      "m=video 6024 RTP/AVP 107",
      "c=IN IP6 2001:db8::1",
      "a=rtpmap:107 H263-1998/90000",
    ],
  ),
  "4.9 IPv4-mapped addresses": message(
    [
      "INVITE sip:user@example.com SIP/2.0",
      "To: sip:user@example.com",
      "From: sip:user@east.example.com;tag=81x2",
      "Via: SIP/2.0/UDP [::ffff:192.0.2.10]:19823;branch=z9hG4bKbh19",
      "Via: SIP/2.0/UDP [::ffff:192.0.2.2];branch=z9hG4bKas3-111",
      "Call-ID: SSG9559905523997077@hlau_4100",
      'Contact: "T. desk phone" <sip:ted@[::ffff:192.0.2.2]>',
      "CSeq: 612 INVITE",
      "Max-Forwards: 70",
    ],
    videoFeed("::ffff:192.0.2.2", "Call me soon, please!"),
  ),
  "4.10 one colon too many": options("[2001:db8:::192.0.2.1]"),
  "4.10 valid colons": options("[2001:db8::192.0.2.1]"),
} as const;
