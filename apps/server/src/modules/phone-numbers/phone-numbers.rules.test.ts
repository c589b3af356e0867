import assert from "node:assert/strict";
import test from "node:test";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";

test("numbers are normalized to E.164", () => {
  assert.equal(normalizePhoneNumber("+1 (415) 555-0123"), "+14155550123");
  assert.equal(normalizePhoneNumber("+49 30 123456"), "+4930123456");
});

test("a number without a country code, or an impossible one, is invalid", () => {
  for (const text of ["4155550123", "+1", "+1415", "+999123456789", "hello", ""]) {
    assert.equal(normalizePhoneNumber(text), undefined, text);
  }
});
