import assert from "node:assert/strict";
import { test } from "node:test";
import type { TranscriptItem } from "@parley/client";
import { playableUrl, transcriptText } from "./call-record.rules.ts";

function item(fields: Partial<TranscriptItem>): TranscriptItem {
  return { id: "1", type: "message", text: "", startMs: 0, endMs: 0, ...fields };
}

test("a transcript to keep has a line for each item, with when and who", () => {
  const text = transcriptText([
    item({ role: "agent", text: "Hello, this", interrupted: true, startMs: 400 }),
    item({ role: "user", text: "Go forward.", startMs: 61_000 }),
    item({ type: "tool_call", toolName: "drive", text: '{"metres":10}', startMs: 62_000 }),
  ]);
  assert.equal(
    text,
    '0:00 Agent: Hello, this (interrupted)\n1:01 You: Go forward.\n1:02 drive called with {"metres":10}\n',
  );
});

test("a server that names itself localhost is the one that the page came from; other links stay", () => {
  const link = "http://localhost:8080/files/a.opus?expires=1&signature=x";
  assert.equal(
    playableUrl(link, "http://192.0.2.1:8080"),
    "http://192.0.2.1:8080/files/a.opus?expires=1&signature=x",
  );
  for (const other of ["https://s3.example.com/bucket/a.opus?X=1", "http://localhost:9000/bucket/a.opus"])
    assert.equal(playableUrl(other, "http://192.0.2.1:8080"), other);
});
