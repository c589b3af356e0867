import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { writeRtp } from "@parley/rtp";
import { SrtpReceiver } from "../../packages/rtp/src/srtp/srtp-stream.ts";
import { type SrtpSuite, srtpSuites } from "../../packages/rtp/src/srtp/suites.ts";
import { PacketSealer } from "./packet-sealer.ts";

const rtcp = Buffer.concat([Buffer.from([0x80, 201, 0, 1]), Buffer.alloc(100, 7)]);
const rtp = Buffer.from(
  writeRtp({ marker: false, payloadType: 0, sequenceNumber: 1, timestamp: 0, ssrc: 9, payload: rtcp }),
);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are its type
for (const suite of Object.keys(srtpSuites) as SrtpSuite[])
  test(`${suite}: sealed packets are authentic`, () => {
    const { keyBytes, saltBytes } = srtpSuites[suite];
    const masterKey = randomBytes(keyBytes + saltBytes);
    const sealer = new PacketSealer(suite, masterKey);
    const receiver = new SrtpReceiver(suite, masterKey);
    const opened = (sealed: Uint8Array | undefined): Buffer => Buffer.from(sealed ?? []);
    for (let packet = 0; packet < 3; packet++)
      assert.deepEqual(opened(receiver.unprotectRtcp(sealer.seal(rtcp))), rtcp);
    assert.deepEqual(opened(receiver.unprotectRtp(sealer.seal(rtp))), rtp);
  });
