import assert from "node:assert/strict";
import { test } from "node:test";
import { PortPool, slicePortRange } from "./port-pool.ts";

test("slices contain every even port once", () => {
  for (const [first, last, count] of [
    [20000, 20999, 3],
    [20001, 20020, 4],
    [30000, 30003, 5],
  ] as const) {
    const ports = Array.from({ length: count }, (_, index) => {
      const pool = new PortPool(slicePortRange({ first, last }, index, count));
      return Array.from({ length: pool.freeCount }, () => pool.take() ?? 0);
    }).flat();
    const expected = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter(
      (port) => port % 2 === 0,
    );
    assert.deepEqual(ports, expected);
  }
});

test("a released port is used after all others", () => {
  const pool = new PortPool({ first: 20000, last: 20005 });
  assert.equal(pool.take(), 20000);
  pool.release(20000);
  assert.deepEqual([pool.take(), pool.take(), pool.take(), pool.take()], [20002, 20004, 20000, undefined]);
});
