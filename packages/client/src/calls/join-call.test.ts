import assert from "node:assert/strict";
import { test } from "node:test";
import { joinCall } from "./join-call.ts";
import { explainMicrophoneError, listMicrophones } from "./microphone.ts";

test("outside a browser joinCall throws unsupported", async () => {
  await assert.rejects(joinCall({ url: "https://example.com/rtc/calls/a", token: "t" }), {
    name: "JoinError",
    code: "unsupported",
    message: /needs a browser/,
  });
  await assert.rejects(listMicrophones(), { code: "unsupported" });
});

test("a browser's microphone error becomes a code", () => {
  const codes: [string, string][] = [
    ["NotAllowedError", "microphone_denied"],
    ["NotFoundError", "microphone_missing"],
    ["OverconstrainedError", "microphone_missing"],
    ["NotReadableError", "microphone_busy"],
    ["TypeError", "microphone_busy"],
  ];
  for (const [name, code] of codes) {
    assert.equal(explainMicrophoneError(new DOMException("", name)).code, code);
  }
});
