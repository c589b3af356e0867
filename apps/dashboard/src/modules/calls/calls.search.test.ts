import assert from "node:assert/strict";
import { test } from "node:test";
import { readCallsSearch, startOfDay, toCallFilter } from "./calls.search.ts";

test("filters in an address become a query of the API; what is not valid is left out", () => {
  const search = readCallsSearch({
    page: 3,
    status: "busy",
    endReason: "none",
    from: "+4930123456",
    tests: "none",
    text: 42,
    minSeconds: 10,
    maxSeconds: -1,
    since: "2026-11-21",
    until: "2026-11-22",
    direction: "sideways",
  });
  assert.deepEqual(toCallFilter(search), {
    page: 3,
    status: ["busy"],
    fromNumber: "+4930123456",
    isTest: false,
    text: "42",
    minDurationSeconds: 10,
    createdAfter: new Date(2026, 10, 21).toISOString(),
    createdBefore: new Date(2026, 10, 23).toISOString(),
  });
  assert.deepEqual(toCallFilter(readCallsSearch({})), {});
  assert.deepEqual(toCallFilter(readCallsSearch({ since: "2026-99-99" })), {});
});

test("a day ends at the next midnight, also at the end of a year", () => {
  assert.deepEqual(startOfDay("2026-12-31", 1), new Date(2027, 0, 1));
});
