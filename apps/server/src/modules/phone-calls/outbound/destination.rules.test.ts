import assert from "node:assert/strict";
import test from "node:test";
import { findCountries, isDestinationAllowed } from "./destination.rules.ts";

const isAllowed = (destination: string, countries: readonly string[], isPremiumRateAllowed = false) =>
  isDestinationAllowed(destination, { countries, isPremiumRateAllowed });

test("only numbers of the allowed countries may be called", () => {
  assert.ok(isAllowed("+4930123456", ["DE"]));
  assert.ok(!isAllowed("+4930123456", ["US", "GB"]));
  assert.ok(isAllowed("+14155550123", ["US"]));
});

test("countries that share a calling code are distinguished", () => {
  assert.ok(!isAllowed("+18765551234", ["US"]), "Jamaica");
  assert.ok(isAllowed("+18765551234", ["JM"]));
});

test("an unassigned number counts as one of the largest country with its code", () => {
  assert.ok(isAllowed("+15550100001", ["US"]));
  assert.ok(!isAllowed("+15550100001", ["CA"]));
});

test("satellites and international networks have no country", () => {
  for (const number of ["+870773111632", "+80012345678"]) {
    assert.ok(!isAllowed(number, ["US", "DE", "GB"]), number);
  }
});

test("emergency numbers are never dialed, in any notation", () => {
  const countries = ["DE", "US", "GB", "FR"];
  for (const destination of ["112", "911", "110", "999", "9911", "0112", "+49112", "+44999", "+1911", "15"]) {
    assert.ok(!isAllowed(destination, countries), destination);
  }
});

test("extensions may be called unless they are emergency numbers", () => {
  for (const destination of ["100", "7001", "reception"]) {
    assert.ok(isAllowed(destination, ["DE"]), destination);
  }
  assert.ok(!isAllowed("100", ["BE"]), "an ambulance in Belgium");
});

test("a number without its country code is not an extension", () => {
  for (const destination of ["004930123456", "9004930123456", ""]) {
    assert.ok(!isAllowed(destination, ["DE"]), destination);
  }
});

test("an organization's countries are those of its numbers", () => {
  assert.deepEqual(findCountries(["+4930123456", "+14155550123", "+4940123456"]), ["DE", "US"]);
  assert.deepEqual(findCountries(["+80012345678"]), []);
});

test("premium-rate numbers may be called only if that is allowed", () => {
  for (const number of ["+19002345678", "+499001234567", "+449012345678", "+33899123456"]) {
    const countries = ["US", "DE", "GB", "FR"];
    assert.ok(!isAllowed(number, countries), number);
    assert.ok(isAllowed(number, countries, true), number);
    assert.ok(!isAllowed(number, [], true), number);
  }
});
