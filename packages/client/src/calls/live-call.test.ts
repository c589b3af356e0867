import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveCallEvent, TranscriptItem, Turn } from "../generated/types.ts";
import { applyLiveEvent, newLiveCall, readLiveEvent } from "./live-call.ts";

function item(id: string, startMs: number, text = id): LiveCallEvent {
  const said: TranscriptItem = { id, type: "message", role: "agent", text, startMs, endMs: startMs + 100 };
  return { type: "item", item: said };
}

const turn: Turn = {
  id: "t1",
  endpointingMs: 1,
  sttMs: 1,
  llmFirstTokenMs: 1,
  toolMs: 0,
  llmFirstClauseMs: 0,
  ttsFirstByteMs: 1,
  waitMs: 0,
  overheadMs: 1,
  totalMs: 5,
};

test("items are ordered by time, without duplicates", () => {
  const events = [item("b", 200), item("a", 100), item("b", 200)];
  const call = events.reduce(applyLiveEvent, newLiveCall);
  assert.deepEqual(
    call.transcript.map(({ id }) => id),
    ["a", "b"],
  );
  assert.equal(applyLiveEvent(call, item("a", 100)), call);
});

test("a repeated item with another text replaces the first", () => {
  const call = [item("a", 100, "Good mor"), item("a", 100, "Good morning")].reduce(
    applyLiveEvent,
    newLiveCall,
  );
  assert.deepEqual(
    call.transcript.map(({ text }) => text),
    ["Good morning"],
  );
});

test("the agent's speech becomes its item", () => {
  const started: LiveCallEvent = { type: "itemStarted", id: "a", role: "agent", text: "Good…", startMs: 100 };
  const speaking = applyLiveEvent(newLiveCall, started);
  assert.equal(speaking.speech?.text, "Good…");
  const said = applyLiveEvent(speaking, item("a", 100));
  assert.equal(said.speech, undefined);
  // Repeated after a reconnection.
  assert.equal(applyLiveEvent(said, started), said);
});

test("known states and turns change nothing", () => {
  const call = applyLiveEvent(newLiveCall, { type: "turn", turn });
  assert.deepEqual(call.turns, [turn]);
  assert.equal(applyLiveEvent(call, { type: "turn", turn }), call);
  assert.equal(applyLiveEvent(call, { type: "state", state: "listening" }), call);
  assert.equal(applyLiveEvent(call, { type: "state", state: "thinking" }).agentState, "thinking");
});

test("unknown messages are ignored", () => {
  assert.deepEqual(readLiveEvent('{"type":"state","state":"thinking"}'), {
    type: "state",
    state: "thinking",
  });
  for (const data of ["", "null", "[]", '{"type":"weather"}', "{", new ArrayBuffer(2), undefined]) {
    assert.equal(readLiveEvent(data), undefined);
  }
});
