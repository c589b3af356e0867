import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test, type TestContext } from "node:test";
import type { SrtpSuite } from "@parley/rtp";
import { acceptAnswer, type AudioSettings, buildOffer, LocalSrtpKeys, UserAgent } from "@parley/sip";
import { parseRtp, writeRtp } from "../../packages/rtp/src/packet.ts";
import { SrtpReceiver, SrtpSender } from "../../packages/rtp/src/srtp/srtp-stream.ts";
import { Baresip } from "../support/phone/baresip.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { freePort, waitFor } from "@parley/testing";

/** Makes the sequence numbers wrap within a second. */
const FIRST_SEQUENCE_NUMBER = 65_500;
const FRAME_BYTES = 160;
const SSRC = 0x70_61_72_6c;

/** Two sockets with consecutive ports, for RTP and RTCP. */
async function bindPair(context: TestContext): Promise<{ rtp: Socket; rtcp: Socket; port: number }> {
  const port = await freePort();
  const [rtp, rtcp] = [createSocket("udp4"), createSocket("udp4")];
  rtp.bind(port, "127.0.0.1");
  rtcp.bind(port + 1, "127.0.0.1");
  context.after(() => {
    rtp.close();
    rtcp.close();
  });
  await Promise.all([once(rtp, "listening"), once(rtcp, "listening")]);
  return { rtp, rtcp, port };
}

/** A frame of its own for each packet, which µ-law leaves as it is. */
const frameOf = (packet: number): Buffer => Buffer.alloc(FRAME_BYTES, packet % 100);

function packetOf(packet: number, payloadType = 0): Uint8Array {
  return writeRtp({
    marker: false,
    payloadType,
    sequenceNumber: (FIRST_SEQUENCE_NUMBER + packet) & 0xffff,
    timestamp: packet * FRAME_BYTES,
    ssrc: SSRC,
    payload: frameOf(packet),
  });
}

/** Sends a packet every 20 ms until the test is over. */
function talk(
  context: TestContext,
  socket: Socket,
  to: Pick<RemoteInfo, "address" | "port">,
  sender: SrtpSender,
) {
  let packet = 0;
  const timer = setInterval(() => {
    socket.send(sender.protectRtp(packetOf(packet++)), to.port, to.address);
  }, 20);
  context.after(() => clearInterval(timer));
}

async function startFfmpeg(context: TestContext, args: readonly string[]): Promise<ChildProcess> {
  const ffmpeg = spawn("ffmpeg", ["-hide_banner", "-loglevel", "error", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.after(async () => {
    if (ffmpeg.exitCode !== null || ffmpeg.signalCode !== null) return;
    ffmpeg.kill("SIGKILL");
    await once(ffmpeg, "exit");
  });
  await once(ffmpeg, "spawn");
  return ffmpeg;
}

async function isBound(port: number): Promise<boolean> {
  const table = await readFile("/proc/net/udp", "utf8");
  return table.includes(`:${port.toString(16).toUpperCase().padStart(4, "0")} `);
}

/** ffmpeg sends long tags in reports, as RFC 4568 §6.2 requires, only if the suite with short tags has RFC 5764's name. */
const ffmpegSuites = {
  AES_CM_128_HMAC_SHA1_80: "AES_CM_128_HMAC_SHA1_80",
  AES_CM_128_HMAC_SHA1_32: "SRTP_AES128_CM_HMAC_SHA1_32",
} as const;

describe("SRTP of ffmpeg, over the wrap of the sequence numbers", { skip: skipWithout("ffmpeg") }, () => {
  for (const suite of ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"] as const) {
    test(`${suite}: what it sends is understood, reports included`, async (context) => {
      const { rtp, rtcp, port } = await bindPair(context);
      const masterKey = randomBytes(30);
      const receiver = new SrtpReceiver(suite, masterKey);
      const sequenceNumbers: number[] = [];
      let refused = 0;
      let reports = 0;
      rtp.on("message", (datagram) => {
        const plain = receiver.unprotectRtp(datagram);
        const packet = plain && parseRtp(plain);
        if (packet === undefined) refused++;
        else sequenceNumbers.push(packet.sequenceNumber);
      });
      rtcp.on("message", (datagram) => {
        if (receiver.unprotectRtcp(datagram) === undefined) refused++;
        else reports++;
      });
      const tone = ["-re", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=8000:duration=2"];
      // Its packets are nearly as long as a datagram may be, and so few.
      const coded = ["-ac", "1", "-c:a", "pcm_mulaw", "-f", "rtp", "-seq", "65530"];
      const keys = ["-srtp_out_suite", ffmpegSuites[suite], "-srtp_out_params", masterKey.toString("base64")];
      const ffmpeg = await startFfmpeg(context, [...tone, ...coded, ...keys, `srtp://127.0.0.1:${port}`]);
      ffmpeg.stdout?.resume();
      await once(ffmpeg, "exit");
      await waitFor("packets after the wrap", () => sequenceNumbers.includes(2));
      assert.equal(sequenceNumbers[0], 65_530);
      assert.equal(refused, 0);
      assert.ok(reports > 0);
    });

    test(`${suite}: it understands what we send`, async (context) => {
      const folder = await mkdtemp(path.join(tmpdir(), "parley-srtp-"));
      context.after(async () => await rm(folder, { recursive: true, force: true }));
      const port = await freePort();
      const masterKey = randomBytes(30);
      const description = [
        "v=0",
        "o=- 1 1 IN IP4 127.0.0.1",
        "s=-",
        "c=IN IP4 127.0.0.1",
        "t=0 0",
        `m=audio ${port} RTP/SAVP 0`,
        `a=crypto:1 ${suite} inline:${masterKey.toString("base64")}`,
        "",
      ].join("\r\n");
      await writeFile(path.join(folder, "call.sdp"), description);
      const input = ["-protocol_whitelist", "file,rtp,srtp,udp", "-i", path.join(folder, "call.sdp")];
      const ffmpeg = await startFfmpeg(context, [...input, "-c:a", "copy", "-f", "mulaw", "-"]);
      let heard = Buffer.alloc(0);
      ffmpeg.stdout?.on("data", (chunk: Buffer) => (heard = Buffer.concat([heard, chunk])));
      await waitFor("ffmpeg to listen", async () => await isBound(port));
      const { rtp } = await bindPair(context);
      talk(context, rtp, { address: "127.0.0.1", port }, new SrtpSender(suite, masterKey));
      // Number 36 has sequence number 0.
      const afterWrap = frameOf(60);
      await waitFor("audio after the wrap", () => heard.includes(afterWrap), 20_000);
      const first = heard.subarray(0, FRAME_BYTES);
      assert.deepEqual(first, frameOf(first[0] ?? 0));
    });
  }
});

describe("SRTP of baresip, over the wrap of the sequence numbers", { skip: skipWithout("baresip") }, () => {
  // Not AES_CM_128_HMAC_SHA1_32: baresip 1.0 cuts the tags of its reports short as well, against RFC 4568 §6.2.
  const suites: readonly SrtpSuite[] = ["AES_CM_128_HMAC_SHA1_80", "AEAD_AES_128_GCM", "AEAD_AES_256_GCM"];
  for (const suite of suites) {
    test(`${suite}: each side understands the other, and its reports`, async (context) => {
      const number = "+15550700001";
      const baresip = await Baresip.start({ from: number, isAnswering: true, isEncrypted: true });
      context.after(async () => void (await baresip.close()));
      const { rtp, rtcp, port } = await bindPair(context);
      const agent = await UserAgent.listen({
        bind: { address: "127.0.0.1", port: 0 },
        onInvite: (invite) => invite.reject(486),
      });
      context.after(async () => await agent.close());
      const settings: AudioSettings = {
        address: "127.0.0.1",
        port,
        codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
        srtp: { keys: new LocalSrtpKeys(), isRequired: true },
      };
      const isOther = (line: string): boolean => line.startsWith("a=crypto:") && !line.includes(` ${suite} `);
      const call = await agent.invite({
        to: `sip:${number}@127.0.0.1:${baresip.sipPort}`,
        from: "sip:tester@127.0.0.1",
        sdp: buildOffer(settings)
          .split("\r\n")
          .filter((line) => !isOther(line))
          .join("\r\n"),
      });
      assert.ok(call.ok);
      const answer = acceptAnswer(call.session.remoteSdp, settings);
      assert.ok(answer.ok);
      const { remote, srtp } = answer.audio;
      assert.equal(srtp?.suite, suite);
      const receiver = new SrtpReceiver(suite, srtp.remoteMasterKey);
      let heard = 0;
      let refused = 0;
      const reports: Uint8Array[] = [];
      rtp.on("message", (datagram) => {
        if (receiver.unprotectRtp(datagram) === undefined) refused++;
        else heard++;
      });
      rtcp.on("message", (datagram) => {
        const report = receiver.unprotectRtcp(datagram);
        // It says goodbye in the clear.
        if (report !== undefined) reports.push(Uint8Array.from(report));
      });
      talk(context, rtp, remote, new SrtpSender(suite, srtp.localMasterKey));
      const highest = await waitFor(
        "a report of what was heard after the wrap",
        () => reports.map(highestSequenceNumber).find((number) => number !== undefined && number > 0xffff),
        20_000,
      );
      // RFC 3550 §6.4.1: the wrap counts as one cycle.
      assert.equal(highest >>> 16, 1);
      assert.ok(heard > 50);
      assert.equal(refused, 0);
      await call.session.bye();
    });
  }
});

/** The extended highest sequence number of our stream in a sender report (RFC 3550 §6.4.1). */
function highestSequenceNumber(compound: Uint8Array): number | undefined {
  const view = new DataView(compound.buffer, compound.byteOffset, compound.byteLength);
  const isSenderReport = compound[1] === 200 && ((compound[0] ?? 0) & 0x1f) > 0;
  if (!isSenderReport || view.getUint32(28) !== SSRC) return undefined;
  return view.getUint32(36);
}
