import assert from "node:assert/strict";
import { test } from "node:test";
import { takeContacts } from "./contact-intake.rules.ts";

test("other work runs while many contacts are checked", async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const inputs = Array.from({ length: 10_000 }, (_, index) => ({
    toNumber: `+1 415 555 ${String(index).padStart(4, "0")}`,
  }));
  const { contacts } = await takeContacts(inputs, () => true);
  clearImmediate(immediate);
  assert.equal(contacts.length, 10_000);
  assert.ok(turns >= 40, `${turns} turns of the event loop`);
});
