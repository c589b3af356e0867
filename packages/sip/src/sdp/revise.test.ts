import assert from "node:assert/strict";
import { test } from "node:test";
import { answerDirections, continueOrigin, holdDirections, isHolding, narrowDirection } from "./revise.ts";

function sdp(version: string, ...lines: string[]): string {
  const head = ["v=0", `o=- 77 ${version} IN IP4 192.0.2.1`, "s=-", "c=IN IP4 192.0.2.1", "t=0 0"];
  return [...head, "m=audio 4000 RTP/AVP 0", ...lines, ""].join("\r\n");
}

test("a changed description has the next version, an unchanged one the same (RFC 3264 §8)", () => {
  const first = sdp("1");
  assert.equal(continueOrigin(sdp("1"), first), first);
  assert.equal(continueOrigin(sdp("9").replace("77", "5"), first), first);
  assert.equal(continueOrigin(sdp("1", "a=sendonly"), first), sdp("2", "a=sendonly"));
  assert.equal(
    continueOrigin(sdp("7", "a=sendonly"), sdp("18446744073709551610")),
    sdp("18446744073709551611", "a=sendonly"),
  );
  assert.equal(continueOrigin("answer", first), "answer");
  assert.equal(continueOrigin(first, "offer"), first);
});

test("hold narrows each stream and changes nothing else", () => {
  assert.equal(holdDirections(sdp("1")), sdp("1", "a=sendonly"));
  assert.equal(holdDirections(sdp("1", "a=sendrecv", "a=ptime:20")), sdp("1", "a=ptime:20", "a=sendonly"));
  assert.equal(holdDirections(sdp("1", "a=recvonly")), sdp("1", "a=inactive"));
  assert.equal(holdDirections(sdp("1", "a=inactive")), sdp("1", "a=inactive"));
  assert.equal(narrowDirection(sdp("1", "a=sendonly"), "sendrecv"), sdp("1", "a=sendonly"));
  assert.equal(holdDirections("offer"), "offer");
});

test("a session-level direction applies to streams without their own", () => {
  const offer = sdp("1").replace("t=0 0", "t=0 0\r\na=recvonly");
  assert.match(holdDirections(offer), /m=audio.*\r\na=inactive\r\n$/);
});

test("our last answer is adapted to the directions of a new offer", () => {
  assert.equal(answerDirections(sdp("1"), sdp("4", "a=sendonly")), sdp("1", "a=recvonly"));
  assert.equal(answerDirections(sdp("1"), sdp("4", "a=inactive")), sdp("1", "a=inactive"));
  assert.equal(answerDirections(sdp("1"), sdp("4")), sdp("1"));
});

test("hold is recognized by the attribute and by the zero address of older phones", () => {
  assert.equal(isHolding(sdp("1")), false);
  assert.equal(isHolding(sdp("1", "a=recvonly")), false);
  assert.equal(isHolding(sdp("1", "a=sendonly")), true);
  assert.equal(isHolding(sdp("1", "a=inactive")), true);
  assert.equal(isHolding(sdp("1").replace("c=IN IP4 192.0.2.1", "c=IN IP4 0.0.0.0")), true);
  assert.equal(isHolding(sdp("1", "c=IN IP4 0.0.0.0")), true);
  assert.equal(isHolding("offer"), false);
});
