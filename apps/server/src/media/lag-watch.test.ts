import assert from "node:assert/strict";
import { test } from "node:test";
import { LagWatch } from "./lag-watch.ts";

function createWatch(reports: readonly number[]): LagWatch {
  const watch = new LagWatch();
  for (const lagMs of reports) watch.note(lagMs);
  return watch;
}

const late = (count: number): number[] => Array.from({ length: count }, () => 5.1);

test("a process keeps up until ten reports in a row are late", () => {
  assert.equal(createWatch(late(9)).isKeepingUp, true);
  assert.equal(createWatch(late(10)).isKeepingUp, false);
  assert.equal(createWatch([...late(9), 5, ...late(9)]).isKeepingUp, true);
});

test("it keeps up again with the first report in time, and after its end", () => {
  const watch = createWatch(late(30));
  watch.note(4.9);
  assert.deepEqual([watch.isKeepingUp, watch.lagP99Ms], [true, 4.9]);
  const ended = createWatch(late(30));
  ended.reset();
  assert.deepEqual([ended.isKeepingUp, ended.lagP99Ms], [true, 0]);
});
