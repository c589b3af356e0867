import assert from "node:assert/strict";
import { test } from "node:test";
import { isDestinationAllowed } from "../outbound/destination.rules.ts";
import { callerIdOf, failureOfRefer, leadsBack, numberBehind } from "./transfer.rules.ts";

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

test("a destination cannot smuggle in another host, headers, parameters or an emergency number", () => {
  const policy = { countries: ["US"], isPremiumRateAllowed: false };
  const isAllowed = (to: string): boolean => {
    const number = numberBehind(trunk, to);
    return number !== undefined && isDestinationAllowed(number, policy);
  };
  assert.ok(isAllowed("sip:+14155550101@pbx.example"));
  for (const to of [
    "sip:102@evil.example@pbx.example",
    "sip:102%40evil.example@pbx.example",
    "sip:102?Replaces=a@pbx.example",
    "sip:102@pbx.example?Replaces=a",
    "sip:102;phone-context=evil.example@pbx.example",
    "sip:102@pbx.example;maddr=10.0.0.1",
    "sip:102\r\nRoute: <sip:evil.example>@pbx.example",
    "102?Replaces=a",
    "102@evil.example",
    "tel:+882161234567",
    "sip:911@pbx.example",
    "sip:+882161234567@pbx.example",
    "sip:%39%31%31@pbx.example",
  ])
    assert.ok(!isAllowed(to), to);
});

test("a failed REFER has the reason that the trunk reported", () => {
  const fail = (status: number, reason: string) =>
    failureOfRefer({ ok: false, cause: "failed", status, reason });
  assert.deepEqual(fail(486, "Busy Here"), { failure: "busy", detail: "486 Busy Here" });
  assert.deepEqual(fail(480, "Gone"), { failure: "no answer", detail: "480 Gone" });
  assert.deepEqual(fail(603, "Decline"), { failure: "rejected", detail: "603 Decline" });
  assert.deepEqual(fail(486, `Busy ${"x".repeat(1_000)}`), {
    failure: "busy",
    detail: `486 Busy ${"x".repeat(91)}…`,
  });
  const silent = failureOfRefer({ ok: false, cause: "no_report", status: 408, reason: "" });
  assert.equal(silent.failure, "no answer");
});

test("the person sees the agent's number, or the caller's if it is shown and a number", () => {
  const route = { ...trunk, from: "sip:+14155550100@pbx.example" };
  const shown = (callerNumber: string | null, callerIdMode: "agent" | "caller") =>
    callerIdOf({ callerNumber }, { warm: { callerIdMode } }, route);
  assert.equal(shown("+14155550199", "caller"), "sip:+14155550199@Pbx.example:5070");
  for (const [number, mode] of [
    ["+14155550199", "agent"],
    [null, "caller"],
    ["+1415@evil.example;x=1", "caller"],
  ] as const)
    assert.equal(shown(number, mode), route.from);
  assert.equal(callerIdOf({ callerNumber: "+14155550199" }, { warm: undefined }, route), route.from);
});

test("a transfer may lead to another agent's number once, but not back to its own or on from there", () => {
  const own = ["+14155550100", "+14155550101", "+14155550102"];
  const isRefused = (fromNumber: string, callerNumber: string | null, to: string) =>
    leadsBack({ fromNumber, callerNumber }, to, own);
  const cases: [string, string | null, string, boolean][] = [
    ["+14155550100", "+14155550199", "+14155550100", true],
    // Trunks may write the number without its plus sign.
    ["+14155550100", null, "14155550100", true],
    ["+14155550100", "+14155550199", "+14155550101", false],
    ["+14155550100", null, "+14155550101", false],
    ["+14155550101", "+14155550100", "+14155550100", true],
    ["+14155550101", "14155550100", "+14155550102", true],
    ["+14155550101", "+14155550100", "+14155550198", false],
    ["+14155550101", "+14155550100", "sales", false],
  ];
  for (const [from, caller, to, expected] of cases)
    assert.equal(isRefused(from, caller, to), expected, `${from} ${caller} ${to}`);
});
