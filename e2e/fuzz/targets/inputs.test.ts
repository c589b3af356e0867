import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../random.ts";
import { allTargets } from "./all.ts";

const INPUTS = 200;

for (const { name, inputs } of allTargets)
  test(`${name}: the same seed gives the same inputs, and another seed gives others`, () => {
    const first = (seed: number): Buffer => {
      const next = inputs(new Random(seed));
      return Buffer.concat(Array.from({ length: INPUTS }, () => next()));
    };
    const once = first(1);
    assert.ok(once.equals(first(1)));
    assert.ok(!once.equals(first(2)));
  });
