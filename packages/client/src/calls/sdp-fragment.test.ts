import assert from "node:assert/strict";
import { test } from "node:test";
import { applySdpFragment, readFragmentSession, writeSdpFragment } from "./sdp-fragment.ts";

const offer = [
  "v=0",
  "m=audio 9 UDP/TLS/RTP/SAVPF 111",
  "a=ice-ufrag:EsAw",
  "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1",
  "a=mid:0",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "a=mid:1",
  "",
].join("\r\n");

test("a fragment has the offer's credentials and first media line", () => {
  assert.equal(
    writeSdpFragment(readFragmentSession(offer), ["candidate:1 1 udp 2 192.0.2.1 61764 typ host"], false),
    "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n" +
      "a=candidate:1 1 udp 2 192.0.2.1 61764 typ host\r\n",
  );
});

test("the last fragment is marked as such", () => {
  assert.match(writeSdpFragment(readFragmentSession(offer), [], true), /a=mid:0\r\na=end-of-candidates\r\n$/);
});

test("an ICE restart changes only the credentials and candidates of the answer", () => {
  const answer = [
    "v=0",
    "m=audio 30000 UDP/TLS/RTP/SAVPF 111",
    "a=mid:0",
    "a=ice-ufrag:old",
    "a=ice-pwd:old",
    "a=fingerprint:sha-256 19:7D",
    "a=candidate:1 1 UDP 2 192.0.2.1 30000 typ host",
    "a=end-of-candidates",
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    "a=mid:1",
    "a=ice-ufrag:old",
    "a=ice-pwd:old",
    "",
  ].join("\r\n");
  const fragment = [
    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    "a=mid:0",
    "a=ice-ufrag:new",
    "a=ice-pwd:secret",
    "a=candidate:1 1 UDP 2 192.0.2.1 30007 typ host",
    "a=end-of-candidates",
    "",
  ].join("\r\n");
  assert.equal(
    applySdpFragment(answer, fragment),
    [
      "v=0",
      "m=audio 30000 UDP/TLS/RTP/SAVPF 111",
      "a=mid:0",
      "a=candidate:1 1 UDP 2 192.0.2.1 30007 typ host",
      "a=end-of-candidates",
      "a=ice-ufrag:new",
      "a=ice-pwd:secret",
      "a=fingerprint:sha-256 19:7D",
      "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
      "a=mid:1",
      "a=ice-ufrag:new",
      "a=ice-pwd:secret",
      "",
    ].join("\r\n"),
  );
});
