import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "./logging.ts";
import { formatForTerminal } from "./terminal-log.ts";

/** What a line of our logger looks like on a terminal without colors. */
function shown(log: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = "";
  const destination = { write: (line: string) => void (text += formatForTerminal(line, false)) };
  log(createLogger({ level: "info", destination }));
  return text;
}

test("a line for a terminal has time, level and message first, then its fields", () => {
  const text = shown((logger) => logger.info({ route: "/v1/agents", status: 200, words: "a b" }, "request"));
  assert.match(
    text,
    /^\d\d:\d\d:\d\d {2}INFO {3}request {2}route=\/v1\/agents {2}status=200 {2}words="a b"\n$/,
  );
});

test("an error shows its message and its stack, one frame a line", () => {
  const text = shown((logger) => logger.error({ err: new Error("no more room") }, "saving failed"));
  const [first, ...frames] = text.trimEnd().split("\n");
  assert.match(first ?? "", /ERROR {2}saving failed {2}error="no more room"/);
  assert.ok(frames.length > 0 && frames.every((frame) => frame.startsWith("    at ")), text);
});

test("control characters from the network do not reach the terminal", () => {
  const text = shown((logger) => logger.warn({ name: "\u001B[2Jx\r\ny" }, "bad\u001B[31m"));
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  assert.doesNotMatch(text.trimEnd(), /[\u0000-\u001F\u007F-\u009F]/);
});

test("colors are added only on request", () => {
  const line = '{"level":"warn","time":"2026-11-22T00:00:00.000Z","msg":"late"}\n';
  assert.ok(formatForTerminal(line, true).includes("\u001B[33mWARN \u001B[0m"));
  assert.ok(!formatForTerminal(line, false).includes("\u001B"));
});
