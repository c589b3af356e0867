import { test } from "node:test";
import { readMultipart } from "./multipart.ts";
import { answerDirections, isHolding } from "../sdp/revise.ts";
import { acceptAnswer, answerOffer, type AudioSettings } from "../sdp/negotiate.ts";
import { Dialog } from "../dialogs/dialog.ts";
import { DigestClient } from "../digest/client.ts";
import { StreamFramer } from "../transport/stream-framer.ts";
import { readReferTarget } from "../subscriptions/incoming-refer.ts";
import { assertLinear } from "@parley/testing";
import { readDiversions, readHistory } from "../user-agent/invite/diversion.ts";
import { readIdentity } from "../user-agent/identity.ts";
import { readReplaces } from "../user-agent/session/replaces.ts";
import { rejectionOf, sdpOf } from "../user-agent/request-rules.ts";
import { readSessionExpires } from "../user-agent/session/session-expires.ts";
import { parseMessage } from "./parse.ts";
import { createResponse } from "./response.ts";

/** Repeated text that is hard for scanners: an open end, a separator, the start of a longer construct. */
const atoms = [
  ...Array.from("a1 \t\n\0é:;,<>=@%[]?&'\"\\/.-"),
  "\r\n",
  "\r\n ",
  "\n ",
  "a\n",
  "a:\r\n",
  "sip:a:",
  "sip:a@",
  "<sip:a>,",
  "a;",
  "a,",
  "a=",
  "1.",
  '"a',
  '\\"',
  "SIP/2.0/UDP a,",
  " SIP/2.0",
  "\r\nVia: SIP/2.0/UDP a",
  "\r\nl: 1",
  "?Reason=",
  ";tag",
  ';boundary="',
  "%41",
];

const requiredLines = [
  "INVITE sip:a@b SIP/2.0",
  "Via: SIP/2.0/UDP h;branch=z9hG4bKx",
  "From: <sip:a@b>;tag=1",
  "To: <sip:a@b>",
  "Call-ID: x",
  "CSeq: 1 INVITE",
  "Contact: <sip:a@b>",
];

/** Fields in which a stranger can put their own text. A field that must occur once replaces the line above. */
const fields = [
  "Authorization: Digest ",
  "Authorization: ",
  "From: ",
  "From: <sip:a>",
  "To: <sip:a>",
  "Via: ",
  "Contact: ",
  "Via: SIP/2.0/UDP a;",
  "Via: SIP/2.0/UDP [",
  "Record-Route: <sip:a",
  "X: ",
  "History-Info: <sip:a",
  "Call-ID: ",
  "Diversion: <sip:a",
  "Replaces: ",
  "Content-Type: multipart/mixed",
  "Privacy: ",
  "Require: ",
  "Accept: ",
  "CSeq: ",
  "Content-Disposition: a",
  "Session-Expires: 90",
  "Refer-To: <sip:a?",
  "Diversion: <sip:a>",
  "To: <sip:a> ",
  "Content-Type: multipart/mixed;a=",
  "Refer-To: <sip:a?Replaces=",
  "l: ",
  "",
];

function repeat(atom: string, length: number): string {
  return atom.repeat(Math.ceil(length / atom.length)).slice(0, length);
}

function request(field: string, value: string): Buffer {
  const name = /^[\w-]+(?=:)/.exec(field)?.[0];
  const others = requiredLines.filter((line) => name === undefined || !line.startsWith(`${name}:`));
  return Buffer.from([...others, field + value, "Content-Length: 0", "", ""].join("\r\n"));
}

/** Reads everything that the stack and the application read from a request. */
function readFully(data: Buffer): void {
  const result = parseMessage(data);
  if (!result.ok) {
    if (result.request !== undefined) createResponse(result.request.headers, result.status, "tag");
    return;
  }
  const { message } = result;
  if (message.kind !== "request") return;
  const { headers } = message;
  createResponse(headers, 200, "tag");
  rejectionOf(message);
  sdpOf(message);
  readIdentity(message);
  readDiversions(headers);
  readHistory(headers);
  readReplaces(headers);
  readSessionExpires(headers);
  readReferTarget(headers);
  Dialog.asServer(message, "tag");
  headers.set("www-authenticate", headers.get("authorization") ?? "");
  new DigestClient({ username: "u", password: "p" }).storeChallenge(401, headers);
}

/** Endings that make a value well-formed after one of the beginnings above, and endings that break it. */
const ends = ["", "x", ">;index=1", ";tag=2", '"', '" <sip:a@b>', "@b>"];

test("a message is read in linear time for every repeated text", () => {
  for (const field of fields) {
    for (const atom of atoms) {
      const what = `${JSON.stringify(atom)} in ${JSON.stringify(field)}`;
      assertLinear(what, (length) => request(field, `${repeat(atom, length)}x`), readFully);
      for (const end of ends) {
        // Almost as long as a line may be, and folded.
        const line = (length: number): Buffer => request(field, `${repeat(atom, length)}${end}\r\n y`);
        assertLinear(`${what}, folded, before ${end}`, line, readFully, 8_000);
        const whole = (length: number): Buffer => request(field, repeat(atom, length) + end);
        assertLinear(`${what}, before ${end}`, whole, readFully, 8_000);
      }
      const bare = (length: number): Buffer => Buffer.from(`${field}${repeat(atom, length)}x\r\n\r\n`);
      assertLinear(`${what}, alone`, bare, readFully);
    }
  }
});

test("a stream is framed in linear time for every chunk size", () => {
  const inPieces = (data: Buffer, size: number): void => {
    const framer = new StreamFramer();
    for (let start = 0; start < data.length; start += size) framer.push(data.subarray(start, start + size));
  };
  for (const field of fields) {
    for (const atom of atoms) {
      const what = `${JSON.stringify(atom)} in ${JSON.stringify(field)}`;
      const whole = (length: number): Buffer => request(field, `${repeat(atom, length)}x`);
      assertLinear(what, whole, (data) => inPieces(data, data.length));
    }
    const long = (length: number): Buffer => request(field, repeat("a", length));
    assertLinear(`${JSON.stringify(field)} byte by byte`, long, (data) => inPieces(data, 1), 16_000);
  }
  const startLine = (length: number): Buffer => Buffer.from(`INVITE ${"a".repeat(length)} SIP/2.0\r\n`);
  assertLinear("a start line byte by byte", startLine, (data) => inPieces(data, 1), 4_000);
  const manyMessages = (length: number): Buffer =>
    Buffer.concat(Array.from({ length: length / 256 }, () => request("X: ", "a")));
  assertLinear("many messages", manyMessages, (data) => inPieces(data, data.length), 256_000);
});

const audio: AudioSettings = {
  address: "192.0.2.1",
  port: 4000,
  codecs: [{ name: "L16", clockRateHz: 44_100, payloadType: 0 }],
};

const sdpHead = "v=0\r\no=- 1 1 IN IP4 192.0.2.2\r\n";
const sdpLines = [
  "",
  "c=IN IP4 ",
  "m=audio 1 RTP/AVP 0 ",
  "m=audio 1 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:",
  "a=",
  "a=rtpmap:0 ",
  "a=fmtp:0 ",
  "a=rtcp:1 ",
  "a=rtcp-fb:",
  "a=extmap:1 ",
  "a=candidate:",
  "a=candidate:1 1 UDP 1 ",
  "a=imageattr:* send [",
  "a=imageattr:* send [a] recv [",
  "a=simulcast:send ",
  "a=simulcast: ",
  "a=mediaclk:id=",
  "a=floorid:",
  "a=ssrc:1 ",
  "a=group:",
  "a=ptime:1",
  "a=source-filter: ",
  "a=ts-refclk:",
  "a=framerate:1",
];
const sdpAtoms = [
  ...atoms,
  "m=\n",
  "m=audio 1 RTP/AVP 0\r\n",
  "c=\n",
  "0 ",
  "\r\na=rtpmap:0 x/1",
  "[a] ",
  "send ",
  "o=\n",
  "v=0\n",
  "\r\na=sendrecv",
  "\r\na=crypto:1 a b",
  "\ro=",
  "] [",
];

function negotiate(sdp: string): void {
  answerOffer(sdp, audio);
  acceptAnswer(sdp, audio);
  isHolding(sdp);
  answerDirections(sdp, sdp);
}

test("a session description is read in linear time", () => {
  const tails = ["m=\n", "m=audio 1 RTP/AVP 0\r\n", "a=rtpmap:1 x/1\r\n", "c=\r\n"];
  for (const line of sdpLines) {
    for (const atom of sdpAtoms) {
      const what = `${JSON.stringify(atom)} in ${JSON.stringify(line)}`;
      assertLinear(what, (length) => `${sdpHead}${line}${repeat(atom, length)}x\r\n`, negotiate, 30_000);
    }
  }
  for (const atom of sdpAtoms) {
    for (const tail of tails) {
      const what = `${JSON.stringify(atom)} before ${JSON.stringify(tail)}`;
      const halves = (length: number): string =>
        `${sdpHead}m=audio 1 RTP/AVP ${repeat(atom, length / 2)}\r\n${repeat(tail, length / 2)}`;
      assertLinear(what, halves, negotiate, 30_000);
    }
    const session = (length: number): string =>
      `${sdpHead}${repeat(atom, length / 2)}\r\n${repeat("m=\n", length / 2)}`;
    assertLinear(`${JSON.stringify(atom)} in the session's part`, session, negotiate, 30_000);
  }
});

test("a multipart body is split in linear time", () => {
  const types = ["boundary=a", `boundary="${"-".repeat(70)}"`];
  for (const type of types) {
    for (const atom of [...atoms, "\r\n--a", "\r\n--a\r\n", "\r\n--", "\r\n-", "a: b\r\n"]) {
      const body = (length: number): Buffer => Buffer.from(`--a\r\n${repeat(atom, length)}\r\n--a--`);
      const read = (data: Buffer): unknown => readMultipart(`multipart/mixed; ${type}`, data);
      assertLinear(`${JSON.stringify(atom)} with ${type}`, body, read);
    }
  }
});
