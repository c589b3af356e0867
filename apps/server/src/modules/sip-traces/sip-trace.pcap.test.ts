import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { type PcapMessage, writePcap } from "./sip-trace.pcap.ts";

const skip =
  spawnSync("tshark", ["-v"]).error === undefined
    ? false
    : "tshark is not installed (apt-get install tshark): NOT opened by a real reader";

const request = [
  "INVITE sip:b@192.0.2.2 SIP/2.0",
  "Call-ID: c1",
  "CSeq: 1 INVITE",
  "Content-Length: 0",
  "",
  "",
];

function message(from: string, to: string, text = request.join("\r\n")): PcapMessage {
  return {
    at: new Date("2026-11-21T12:00:01.234Z"),
    from: { address: from, port: 5060 },
    to: { address: to, port: 5061 },
    data: Buffer.from(text),
  };
}

const messages = [
  message("192.0.2.1", "192.0.2.2"),
  message("2001:db8::1:0:0:7", "2001:db8::ffff:192.0.2.9"),
  message("192.0.2.1", "2001:db8::2", `${request.join("\r\n")}odd`),
  message("sip.example.com", "192.0.2.2"),
];

test("a capture contains each message after headers with its addresses", () => {
  const file = writePcap(messages);
  assert.equal(file.readUInt32LE(0), 0xa1b2c3d4);
  const length = file.readUInt32LE(32);
  const packet = file.subarray(40, 40 + length);
  assert.equal(file.readUInt32LE(24), Date.parse("2026-11-21T12:00:01Z") / 1000);
  assert.equal(file.readUInt32LE(28), 234_000);
  assert.deepEqual([...packet.subarray(26, 34)], [192, 0, 2, 1, 192, 0, 2, 2]);
  assert.deepEqual([packet.readUInt16BE(34), packet.readUInt16BE(36)], [5060, 5061]);
  assert.equal(packet.subarray(42).toString(), request.join("\r\n"));
});

test("tshark reads addresses, ports, time and SIP, and finds all checksums correct", { skip }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-pcap-"));
  const file = path.join(folder, "trace.pcap");
  writeFileSync(file, writePcap(messages));
  const fields = [
    "frame.time_epoch",
    "ip.src",
    "ipv6.src",
    "ipv6.dst",
    "udp.srcport",
    "sip.Method",
    "sip.Call-ID",
  ];
  const shown = [...fields, "udp.checksum.status", "ip.checksum.status"].flatMap((field) => ["-e", field]);
  const checks = ["-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"];
  const args = ["-r", file, "-T", "fields", "-E", "separator=,", ...checks, ...shown];
  const { stdout } = spawnSync("tshark", args, { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  // 1: good (Wireshark's proto.h).
  assert.deepEqual(stdout.trim().split("\n"), [
    "1795262401.234000000,192.0.2.1,,,5060,INVITE,c1,1,1",
    "1795262401.234000000,,2001:db8::1:0:0:7,2001:db8::ffff:c000:209,5060,INVITE,c1,1,",
    "1795262401.234000000,,::ffff:192.0.2.1,2001:db8::2,5060,INVITE,c1,1,",
    "1795262401.234000000,0.0.0.0,,,5060,INVITE,c1,1,1",
  ]);
});
