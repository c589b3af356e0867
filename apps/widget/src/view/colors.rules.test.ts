import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, readableOn, textOn } from "./colors.rules.ts";

const parts = ["00", "33", "77", "bb", "ff"];
const colors = parts.flatMap((red) =>
  parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)),
);

test("black and white have the greatest contrast", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#2563eb", "#2563eb"), 1);
});

test("text on every accent color is readable", () => {
  for (const color of colors) assert.ok(contrast(textOn(color), color) >= 4.5, color);
});

test("every accent color is readable as text in light and dark, and stays if it already was", () => {
  for (const background of ["#ffffff", "#15171c"])
    for (const color of colors) assert.ok(contrast(readableOn(color, background), background) >= 4.5, color);
  assert.equal(readableOn("#2563eb", "#ffffff"), "#2563eb");
});
