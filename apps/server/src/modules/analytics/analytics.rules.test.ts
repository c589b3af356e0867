import assert from "node:assert/strict";
import test from "node:test";
import { AppError } from "../../platform/app-error.ts";
import { assertTimezone, selectCalls } from "./analytics.rules.ts";

const NOW = new Date("2026-11-21T12:00:00.000Z");

function refusedPath(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "invalid_query");
    return error.issues[0]?.path;
  }
}

test("the default range is the last 30 days", () => {
  assert.deepEqual(selectCalls({ channel: "web" }, NOW), {
    channel: "web",
    from: new Date("2026-10-22T12:00:00.000Z"),
    to: NOW,
  });
});

test("a range is at most a year, and ends after its beginning", () => {
  const to = "2026-11-21T00:00:00.000Z";
  assert.equal(
    refusedPath(() => selectCalls({ from: "2025-11-20T00:00:00.000Z", to }, NOW)),
    undefined,
  );
  assert.equal(
    refusedPath(() => selectCalls({ from: "2025-11-19T23:59:59.999Z", to }, NOW)),
    "from",
  );
  assert.equal(
    refusedPath(() => selectCalls({ from: to, to }, NOW)),
    "from",
  );
  assert.equal(
    refusedPath(() => selectCalls({ from: "2026-11-22T00:00:00.000Z" }, NOW)),
    "from",
  );
});

test("days begin by the rules of a time zone, not at a fixed offset", () => {
  for (const name of ["UTC", "Europe/Berlin", "america/new_york"]) assertTimezone(name);
  for (const name of ["+02:00", "Mars/Olympus", "UTC+3", ""]) {
    assert.equal(
      refusedPath(() => assertTimezone(name)),
      "timezone",
      name,
    );
  }
});
