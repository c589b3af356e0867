import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOfRefer, numberBehind } from "./transfer.rules.ts";

const trunk = { uriOf: (number: string) => `sip:${number}@Pbx.example:5070` };

test("a destination is a number, an extension, or a URI of the trunk's own host", () => {
  const cases: [string, string | undefined][] = [
    ["+1 (415) 555-0101", "+14155550101"],
    ["+1", undefined],
    ["102", "102"],
    ["sales", "sales"],
    ["sip:102@pbx.example", "102"],
    ["SIPS:+1 415 555 0101@PBX.example:5061", "+14155550101"],
    ["sip:102@elsewhere.example", undefined],
    ["sip:102@10.0.0.1", undefined],
    ["sip:102@pbx.example.evil.example", undefined],
  ];
  for (const [to, expected] of cases) assert.equal(numberBehind(trunk, to), expected, to);
});

test("a failed REFER has the reason that the trunk reported", () => {
  const fail = (status: number, reason: string) =>
    failureOfRefer({ ok: false, cause: "failed", status, reason });
  assert.deepEqual(fail(486, "Busy Here"), { failure: "busy", detail: "486 Busy Here" });
  assert.deepEqual(fail(480, "Gone"), { failure: "no answer", detail: "480 Gone" });
  assert.deepEqual(fail(603, "Decline"), { failure: "rejected", detail: "603 Decline" });
  const silent = failureOfRefer({ ok: false, cause: "no_report", status: 408, reason: "" });
  assert.equal(silent.failure, "no answer");
});
