import { test } from "node:test";
import { assertLinear } from "@parley/testing";
import { parseStun } from "./ice/stun-message.ts";
import { readCandidate, readFragment } from "./web-sdp-fragment.ts";
import { readOffer } from "./web-sdp.ts";

const LINE_BEGINNINGS = [
  "",
  "m=audio 9 ",
  "a=",
  "a=mid:",
  "a=candidate:",
  "a=candidate:1 1 udp 1 ",
  "a=rtpmap:111 ",
  "a=ice-ufrag:",
  "a=group:BUNDLE",
];
const ATOMS = [
  "a",
  "1",
  " ",
  "a ",
  "\t",
  ":",
  "\n",
  "\r",
  "\r\n",
  "m=\n",
  "m=audio\n",
  "a=x\n",
  "a=candidate:a\n",
  ".local",
  ".local ",
  "a=mid:0\n",
  "a=rtpmap:111 opus/48000/2\n",
];

test("offers and fragments of a browser are parsed in linear time", () => {
  for (const beginning of LINE_BEGINNINGS) {
    for (const atom of ATOMS) {
      const what = `${JSON.stringify(atom)} after ${JSON.stringify(beginning)}`;
      const line = (length: number): string => `${beginning}${atom.repeat(length / atom.length)}x`;
      const offer = (length: number): string =>
        `v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\na=ice-ufrag:a\r\na=ice-pwd:b\r\na=fingerprint:c\r\n${line(length)}\r\n`;
      assertLinear(`offer, ${what}`, offer, readOffer, 100_000);
      assertLinear(`fragment, ${what}`, line, readFragment, 100_000);
      assertLinear(`candidate, ${what}`, line, readCandidate, 100_000);
    }
  }
});

test("a STUN message is parsed in linear time, for any number of attributes", () => {
  const message = (length: number): Buffer => {
    const datagram = Buffer.alloc(length);
    datagram.writeUInt16BE(1, 0);
    datagram.writeUInt16BE(length - 20, 2);
    datagram.writeUInt32BE(0x2112a442, 4);
    // Empty attributes, each of another type.
    for (let at = 20; at < length; at += 4) datagram.writeUInt16BE(at >> 2, at);
    return datagram;
  };
  assertLinear("empty attributes", message, parseStun);
});
