import assert from "node:assert/strict";
import { test } from "node:test";
import { firstStepsOf } from "./first-steps.rules.ts";

const nothing = {
  hasTried: false,
  hasOwnAgent: false,
  hasTrunk: false,
  number: undefined,
  hasPhoneCall: false,
};

test("each step is done by what exists, and a number needs a trunk first", () => {
  const done = (found: Parameters<typeof firstStepsOf>[0]): boolean[] =>
    firstStepsOf(found).map(({ isDone }) => isDone);
  assert.deepEqual(done(nothing), [false, false, false, false]);
  assert.deepEqual(done({ ...nothing, hasTried: true, number: "+4930123456" }), [true, false, true, false]);
  assert.deepEqual(done({ ...nothing, hasOwnAgent: true, hasPhoneCall: true }), [false, true, false, true]);
  assert.equal(firstStepsOf(nothing)[2]?.to, "/sip-trunks/new");
  assert.equal(firstStepsOf({ ...nothing, hasTrunk: true })[2]?.to, "/phone-numbers");
  assert.match(firstStepsOf({ ...nothing, number: "+4930123456" })[3]?.text ?? "", /\+4930123456/);
});
