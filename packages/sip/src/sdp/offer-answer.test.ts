import assert from "node:assert/strict";
import { test } from "node:test";
import { OfferAnswer } from "./offer-answer.ts";

test("an offer from either side takes effect when it is answered", () => {
  const media = new OfferAnswer();
  assert.equal(media.state, "idle");
  assert.equal(media.sendOffer("ours"), "ours");
  assert.deepEqual([media.state, media.local, media.remote], ["offer_sent", "", ""]);
  assert.equal(media.receiveAnswer("theirs"), true);
  assert.deepEqual([media.state, media.local, media.remote], ["stable", "ours", "theirs"]);
  media.receiveOffer("theirs 2");
  assert.deepEqual([media.state, media.remote], ["offer_received", "theirs"]);
  assert.equal(media.sendAnswer("ours 2"), "ours 2");
  assert.deepEqual([media.state, media.local, media.remote], ["stable", "ours 2", "theirs 2"]);
});

test("a rejected offer changes nothing, and the version continues from it", () => {
  const media = new OfferAnswer();
  const describe = (version: number, port: number): string =>
    `v=0\r\no=- 5 ${version} IN IP4 192.0.2.1\r\nm=audio ${port} RTP/AVP 0\r\n`;
  media.sendOffer(describe(1, 4000));
  media.receiveAnswer("theirs");
  assert.equal(media.sendOffer(describe(1, 5000)), describe(2, 5000));
  media.withdraw();
  assert.deepEqual([media.state, media.local], ["stable", describe(1, 4000)]);
  assert.equal(media.sendOffer(describe(1, 6000)), describe(3, 6000));
});

test("an answer without an offer is ignored", () => {
  const media = new OfferAnswer();
  assert.equal(media.receiveAnswer("stray"), false);
  media.sendOffer("ours");
  media.receiveAnswer("first");
  assert.equal(media.receiveAnswer("second"), false);
  assert.equal(media.remote, "first");
});
