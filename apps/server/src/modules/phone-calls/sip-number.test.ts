import assert from "node:assert/strict";
import { test } from "node:test";
import { numberIn } from "./sip-number.ts";

test("parameters and visual separators are no part of a number", () => {
  for (const user of [
    "+14155550123",
    "+14155550123;npdi=yes;rn=+14155550000",
    "+14155550123;tgrp=TG-1;trunk-context=carrier.example",
    "+14155550123;cic=+10288",
    "+14155550123;phone-context=+1:secret",
    "+14155550123%3Bnpdi=yes",
    "+1(415)555-01.23",
  ]) {
    for (const end of ["@203.0.113.5", "@203.0.113.5;user=phone"])
      assert.equal(numberIn(`sip:${user}${end}`), "+14155550123", user);
  }
  assert.equal(numberIn("tel:+1-415-555-0123;npdi;rn=+14155550000"), "+14155550123");
});

test("names keep their characters, and a URI without a user has no number", () => {
  assert.equal(numberIn("sip:support.team-2@pbx.example;transport=tcp"), "support.team-2");
  assert.equal(numberIn("sip:*98@pbx.example"), "*98");
  for (const uri of ["sip:pbx.example", "sip:;npdi=yes@pbx.example", "mailto:a@b", "sip:--@"]) {
    assert.equal(numberIn(uri), undefined, uri);
  }
});
