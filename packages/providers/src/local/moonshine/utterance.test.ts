import assert from "node:assert/strict";
import { test } from "node:test";
import { quietestPlace } from "./utterance.ts";

test("the quietest place is in the pause, and not before the first permitted place", () => {
  const pcm = new Int16Array(8000 * 4).fill(9000);
  pcm.fill(0, 8000, 9600);
  pcm.fill(100, 24_000, 25_600);
  const place = quietestPlace(pcm, 16_000, 8000);
  assert.ok(place > 24_000 && place < 25_600, `cut at ${place}`);
});
