import assert from "node:assert/strict";
import test from "node:test";
import { DrizzleQueryError } from "drizzle-orm";
import { createLogger } from "./logging.ts";

function logged(...args: [object, string]): string {
  const lines: string[] = [];
  createLogger({ level: "info", destination: { write: (line) => lines.push(line) } }).info(...args);
  return lines.join("");
}

test("numbers, transcripts and secrets are redacted at any depth", () => {
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

test("each line is one JSON object with a level name and an ISO time", () => {
  const entry: Record<string, unknown> = JSON.parse(logged({ callId: "c1" }, "call began"));
  assert.deepEqual(Object.keys(entry), ["level", "time", "callId", "msg"]);
  assert.equal(entry["level"], "info");
  assert.equal(new Date(String(entry["time"])).toISOString(), entry["time"]);
});

test("bindings of a child logger are redacted as well", () => {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", destination: { write: (line) => lines.push(line) } });
  logger.child({ callId: "c1", fromNumber: "+14155550123" }).info("call began");
  assert.ok(!lines.join("").includes("4155550123"));
  assert.ok(lines.join("").includes("c1"));
});

test("an error keeps its type, message, stack and cause", () => {
  const error = new TypeError("went wrong", { cause: new Error("because") });
  const { err }: { err: Record<string, string> } = JSON.parse(logged({ err: error }, "failed"));
  assert.equal(err["type"], "TypeError");
  assert.match(err["message"] ?? "", /went wrong/);
  assert.match(err["stack"] ?? "", /because/);
});

test("a cyclic object is logged", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  assert.ok(logged({ cycle }, "odd").includes("[deep]"));
});

test("a failed query is logged without its parameters", () => {
  const cause = Object.assign(new Error("duplicate key"), {
    detail: "Key (e164)=(+14155550123) already exists.",
  });
  const line = logged(
    { err: new DrizzleQueryError("insert into x values ($1)", ["+14155550123"], cause) },
    "failed",
  );
  assert.ok(!line.includes("4155550123"), line);
  for (const told of ["insert into x values ($1)", "duplicate key", "logging.test.ts"])
    assert.ok(line.includes(told), told);
});
