import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeMessage,
  isReplyRestarted,
  nextReplyAttempt,
  readKeyword,
  readMedia,
  replyTime,
} from "./inbound-messages.rules.ts";

test("keywords are whole messages, in any case, and the provider's own judgment wins", () => {
  assert.equal(readKeyword(" stop ", undefined, false), "stop");
  assert.equal(readKeyword("Unsubscribe", undefined, false), "stop");
  assert.equal(readKeyword("help", undefined, false), "help");
  assert.equal(readKeyword("please stop calling", undefined, false), undefined);
  assert.equal(readKeyword("basta", "STOP", false), "stop");
});

test("YES is START only from a number that has sent STOP", () => {
  assert.equal(readKeyword("yes", undefined, false), undefined);
  assert.equal(readKeyword("yes", undefined, true), "start");
  assert.equal(readKeyword("start", undefined, true), "start");
  assert.equal(readKeyword("hola", "START", false), "start");
});

test("files are read from the parameters and named in the text", () => {
  const media = readMedia({ NumMedia: "2", MediaUrl0: "https://a", MediaContentType0: "image/png" });
  assert.deepEqual(media, [{ url: "https://a", contentType: "image/png" }]);
  assert.equal(describeMessage({ body: "", media }), "[sent image/png]");
  assert.equal(describeMessage({ body: "Look", media }), "Look\n[sent image/png]");
  assert.equal(describeMessage({ body: "Look", media: [] }), "Look");
  assert.deepEqual(readMedia({ NumMedia: "x" }), []);
});

test("a reply waits for two seconds of silence, and at most ten", () => {
  const at = (seconds: number): Date => new Date(seconds * 1000);
  assert.deepEqual(replyTime(at(0), at(0)), at(2));
  assert.deepEqual(replyTime(at(0), at(7)), at(9));
  assert.deepEqual(replyTime(at(0), at(9)), at(10));
  assert.deepEqual(replyTime(at(0), at(60)), at(60));
  assert.ok(isReplyRestarted(at(0), at(19)) && !isReplyRestarted(at(0), at(20)));
});

test("a failed reply is tried again a limited number of times", () => {
  const delays = [1, 2, 3, 4, 5].map((attempts) => nextReplyAttempt(attempts, new Date(0))?.getTime());
  assert.deepEqual(delays, [5_000, 20_000, 60_000, 300_000, undefined]);
});
