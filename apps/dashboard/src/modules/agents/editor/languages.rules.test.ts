import assert from "node:assert/strict";
import { test } from "node:test";
import { withRegions } from "./languages.rules.ts";

test("a language is offered without a region first, then with its regions", () => {
  assert.deepEqual(withRegions({ id: "pt", displayName: "Portuguese" }), [
    { value: "pt", label: "Portuguese (pt)" },
    { value: "pt-BR", label: "Portuguese, Brazil (pt-BR)" },
    { value: "pt-PT", label: "Portuguese, Portugal (pt-PT)" },
  ]);
  assert.deepEqual(withRegions({ id: "fi", displayName: "Finnish" }), [
    { value: "fi", label: "Finnish (fi)" },
  ]);
});
