import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, describeHours, drawWindow } from "./window.rules.ts";

test("a window is drawn on its days, and across midnight on the next ones", () => {
  assert.deepEqual(blocksOf({ start: "09:00", end: "18:00", days: [1, 0] }), [
    { day: 1, from: 540, to: 1080 },
    { day: 7, from: 540, to: 1080 },
  ]);
  assert.deepEqual(blocksOf({ start: "22:00", end: "02:00", days: [7] }), [
    { day: 7, from: 1320, to: 1440 },
    { day: 1, from: 0, to: 120 },
  ]);
  assert.deepEqual(blocksOf({ start: "22:00", end: "00:00", days: [1] }), [{ day: 1, from: 1320, to: 1440 }]);
  assert.deepEqual(blocksOf({ start: "00:00", end: "24:00", days: [2] }), [{ day: 2, from: 0, to: 1440 }]);
});

test("a drag in any direction draws whole steps, at least one", () => {
  const drawn = { start: "09:00", end: "17:30", days: [1, 2, 3] };
  assert.deepEqual(drawWindow({ day: 1, minute: 550 }, { day: 3, minute: 1040 }, 30), drawn);
  assert.deepEqual(drawWindow({ day: 3, minute: 1040 }, { day: 1, minute: 550 }, 30), drawn);
  assert.deepEqual(drawWindow({ day: 7, minute: 1440 }, { day: 7, minute: 1440 }, 30), {
    start: "23:30",
    end: "24:00",
    days: [7],
  });
});

test("a window is told in words", () => {
  assert.equal(
    describeHours({ start: "09:00", end: "18:00", days: [1, 2, 3, 4, 5] }),
    "Monday to Friday, 09:00 to 18:00",
  );
  assert.equal(
    describeHours({ start: "20:00", end: "02:00", days: [6, 0] }),
    "Saturday, Sunday, 20:00 to 02:00 on the next day",
  );
  assert.equal(
    describeHours({ start: "00:00", end: "24:00", days: [0, 1, 2, 3, 4, 5, 6, 7] }),
    "Every day, 00:00 to 24:00",
  );
});
