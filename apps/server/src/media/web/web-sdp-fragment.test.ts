import assert from "node:assert/strict";
import { test } from "node:test";
import { readCandidate, readFragment, writeRestartFragment } from "./web-sdp-fragment.ts";

const toSdp = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join("");

test("a trickle ICE fragment contains candidates with their credentials", () => {
  const fragment = [
    "a=ice-ufrag:EsAw",
    "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1",
    "m=audio 9 UDP/TLS/RTP/SAVPF 0",
    "a=mid:0",
    "a=candidate:1 1 udp 2122260223 192.0.2.7 54321 typ host",
    "a=candidate:2 1 udp 2122260222 7b2c.local 54322 typ host",
    "a=candidate:3 1 udp 2122260222 name.example 54322 typ host",
    "a=candidate:4 1 udp 2122260222 224.0.0.1 54322 typ host",
    "a=candidate:5 1 udp 2122260222 255.255.255.255 54322 typ host",
    "a=candidate:6 1 udp 2122260222 169.254.3.4 54322 typ host",
    "a=candidate:7 1 udp 2122260222 127.0.0.1 53 typ host",
    "a=candidate:8 1 udp 2122260222 fe80::1 54322 typ host",
    "a=candidate:9 1 udp 2122260222 ::ffff:127.0.0.1 53 typ host",
    "a=end-of-candidates",
  ];
  assert.deepEqual(readFragment(toSdp(fragment)), {
    ufrag: "EsAw",
    pwd: "P2uYro0UCOQ4zxjKXaWCBui1",
    candidates: [{ mid: "0", candidate: "a=candidate:1 1 udp 2122260223 192.0.2.7 54321 typ host" }],
  });
});

test("a text that is not a fragment is rejected", () => {
  for (const text of ["", "hello", "a=mid:0\r\n", "v=0\r\na=ice-ufrag:EsAw\r\n"])
    assert.equal(readFragment(text), undefined);
});

test("the answer to a restart has the first answer's addresses on the new port, and new credentials", () => {
  const answer = [
    "v=0",
    "a=group:BUNDLE 0 1",
    "m=audio 30000 UDP/TLS/RTP/SAVPF 111",
    "a=mid:0",
    "a=ice-ufrag:old",
    "a=ice-pwd:old",
    "a=candidate:1 1 UDP 2122317823 192.0.2.2 30000 typ host",
    "a=candidate:public 1 UDP 2122317822 203.0.113.9 30000 typ host",
    "m=application 30000 UDP/DTLS/SCTP webrtc-datachannel",
    "a=mid:1",
    "a=ice-ufrag:old",
  ];
  const fragment = writeRestartFragment(toSdp(answer), { ufrag: "new", pwd: "secret" }, 30_123);
  assert.equal(
    fragment,
    toSdp([
      "a=ice-options:trickle ice2",
      "a=group:BUNDLE 0 1",
      "m=audio 9 UDP/TLS/RTP/SAVPF 111",
      "a=mid:0",
      "a=ice-ufrag:new",
      "a=ice-pwd:secret",
      "a=candidate:1 1 UDP 2122317823 192.0.2.2 30123 typ host",
      "a=candidate:public 1 UDP 2122317822 203.0.113.9 30123 typ host",
      "a=end-of-candidates",
    ]),
  );
});

test("only UDP candidates with an IP address are used", () => {
  assert.deepEqual(
    readCandidate("a=candidate:1 1 udp 1 2001:db8::1 5000 typ srflx raddr 10.0.0.1 rport 5000"),
    {
      address: "2001:db8::1",
      port: 5000,
    },
  );
  for (const line of [
    "a=candidate:1 1 tcp 1 192.0.2.7 9 typ host tcptype active",
    "a=candidate:1 2 udp 1 192.0.2.7 5000 typ host",
    "a=candidate:1 1 udp 1 example.net 5000 typ host",
    "a=candidate:1 1 udp 1 192.0.2.7 70000 typ host",
    "a=candidate:1 1 udp 1 192.0.2.7 0 typ host",
    "a=candidate:nonsense",
  ])
    assert.equal(readCandidate(line), undefined, line);
});
