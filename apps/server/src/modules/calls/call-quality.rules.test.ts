import assert from "node:assert/strict";
import { test } from "node:test";
import type { MediaStatistics } from "../../media/media-protocol.ts";
import { toCallQuality } from "./call-quality.rules.ts";

const media: MediaStatistics = {
  codec: "G722",
  srtpSuite: "AEAD_AES_128_GCM",
  received: { packets: 950, lost: 40, late: 10, jitterMs: 3.14 },
  packetsSent: 1000,
  sent: { packets: 1000, lost: 0, jitterMs: 2.26 },
  roundTripMs: 80.04,
  playoutDelayMs: 40,
  ptimeMs: 20,
};

test("a call's quality has both directions, each with its score", () => {
  assert.deepEqual(toCallQuality(media), {
    codec: "G722",
    srtpSuite: "AEAD_AES_128_GCM",
    roundTripMs: 80,
    received: { packets: 950, lost: 40, late: 10, jitterMs: 3.1, mos: 3.82 },
    sent: { packets: 1000, lost: 0, jitterMs: 2.3, mos: 4.37 },
  });
});

test("values that the peer did not report are null", () => {
  const quality = toCallQuality({ ...media, sent: undefined, srtpSuite: undefined, roundTripMs: undefined });
  assert.deepEqual(quality?.sent, { packets: 1000, lost: null, jitterMs: null, mos: null });
  assert.deepEqual([quality?.roundTripMs, quality?.srtpSuite], [null, null]);
});

test("a call without packets has no quality", () => {
  const nothing = { packets: 0, lost: 0, late: 0, jitterMs: 0 };
  assert.equal(toCallQuality({ ...media, received: nothing, packetsSent: 0 }), undefined);
  assert.equal(toCallQuality({ ...media, received: nothing })?.received.mos, null);
  assert.equal(toCallQuality({ ...media, codec: undefined }), undefined);
});
