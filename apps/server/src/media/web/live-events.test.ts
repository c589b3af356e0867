import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveCallEvent } from "@parley/contract";
import { LiveEvents } from "./live-events.ts";

const item = (id: string, role: "user" | "agent"): LiveCallEvent => ({
  type: "item",
  item: { id, type: "message", role, text: id, startMs: 0, endMs: 1 },
});
const speech = (id: string): LiveCallEvent => ({
  type: "itemStarted",
  id,
  role: "agent",
  text: id,
  startMs: 0,
});

function listen(): { events: LiveEvents; told: () => unknown[] } {
  const messages: string[] = [];
  const events = new LiveEvents((message) => messages.push(message));
  return { events, told: () => messages.splice(0).map((message): unknown => JSON.parse(message)) };
}

test("a new connection first receives the agent's state", () => {
  const { events, told } = listen();
  events.replay();
  assert.deepEqual(told(), [{ type: "state", state: "listening" }]);
});

test("a new connection receives the state, all items and the current speech, but no past events", () => {
  const { events, told } = listen();
  const said: LiveCallEvent[] = [
    speech("a"),
    item("a", "agent"),
    item("b", "user"),
    { type: "state", state: "speaking" },
    speech("c"),
  ];
  for (const event of said) events.add(event);
  assert.deepEqual(told(), said);
  events.replay();
  assert.deepEqual(told(), [said[3], said[1], said[2], said[4]]);
});

test("only the latest items of a very long call are kept", () => {
  const { events, told } = listen();
  for (let index = 0; index < 1500; index++) events.add(item(String(index), "user"));
  told();
  events.replay();
  const again = told();
  assert.equal(again.length, 1001);
  assert.deepEqual(again.at(-1), item("1499", "user"));
});
