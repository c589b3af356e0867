import assert from "node:assert/strict";
import test from "node:test";
import { createLogger } from "./logging.ts";

function logged(...args: [object, string]): string {
  const lines: string[] = [];
  createLogger({ level: "info", destination: { write: (line) => lines.push(line) } }).info(...args);
  return lines.join("");
}

test("who called, what was said and what opens doors is not in the log, however it is nested", () => {
  const secret = "+14155550123";
  const line = logged(
    {
      fromNumber: secret,
      call: { toNumber: secret, transcript: [{ text: secret }] },
      config: { llm: { apiKey: secret } },
      headers: { "x-api-key": secret, authorization: secret },
      err: Object.assign(new Error("failed"), { phoneNumber: secret }),
    },
    "call began",
  );
  assert.ok(!line.includes(secret), line);
  assert.ok(line.includes("[redacted]"));
});

test("the rest is one JSON object a line, with a level by name and an ISO time", () => {
  const entry: Record<string, unknown> = JSON.parse(logged({ callId: "c1" }, "call began"));
  assert.deepEqual(Object.keys(entry), ["level", "time", "callId", "msg"]);
  assert.equal(entry["level"], "info");
  assert.equal(new Date(String(entry["time"])).toISOString(), entry["time"]);
});
