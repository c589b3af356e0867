import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayoutBuffer } from "./playout-buffer.ts";

const pcm = (samples: number, value = 1000): Int16Array => new Int16Array(samples).fill(value);

function play(playout: PlayoutBuffer, frames: number): void {
  for (let i = 0; i < frames; i++) assert.notEqual(playout.nextFrame(), undefined);
}

test("chunks of any size are read as continuous frames of 20 ms", () => {
  const playout = new PlayoutBuffer(8000);
  playout.addClause(1, "One.", 0);
  const samples = Int16Array.from({ length: 1600 }, (_, i) => i + 1);
  for (let i = 0; i < 1600; i += 70) playout.push(1, samples.subarray(i, Math.min(i + 70, 1600)));
  playout.completeClause(1);
  const heard: number[] = [];
  for (let frame = playout.nextFrame(); frame !== undefined; frame = playout.nextFrame()) {
    assert.equal(frame.length, 160);
    heard.push(...frame);
  }
  assert.deepEqual(heard, [...samples]);
});

test("half a frame waits for the rest of its clause, and is padded with silence if none follows", () => {
  const playout = new PlayoutBuffer(16000);
  playout.addClause(1, "One.", 0);
  playout.push(1, pcm(100));
  assert.equal(playout.nextFrame(), undefined);
  playout.completeClause(1);
  const frame = playout.nextFrame();
  assert.equal(frame?.[99], 1000);
  assert.equal(frame[100], 0);
  assert.equal(playout.isDry, true);
});

test("clauses follow each other without a gap", () => {
  const playout = new PlayoutBuffer(8000);
  playout.addClause(1, "One. ", 0);
  playout.addClause(2, "Two.", 0);
  playout.push(1, pcm(100, 1));
  playout.completeClause(1);
  playout.push(2, pcm(220, 2));
  playout.completeClause(2);
  const frame = playout.nextFrame();
  assert.equal(frame?.[99], 1);
  assert.equal(frame[100], 2);
});

test("the text heard is counted in whole words, in proportion to the clause's audio", () => {
  const playout = new PlayoutBuffer(8000);
  playout.addClause(1, "One two three four. ", 0);
  playout.addClause(2, "Five six.", 0);
  playout.push(1, pcm(8000));
  playout.completeClause(1);
  playout.push(2, pcm(8000));
  playout.completeClause(2);
  play(playout, 25);
  assert.deepEqual(playout.heard(), [{ segment: 0, text: "One two", isWhole: false }]);
  play(playout, 25);
  assert.deepEqual(playout.heard(), [{ segment: 0, text: "One two three four. ", isWhole: false }]);
  play(playout, 50);
  assert.deepEqual(playout.heard(), [{ segment: 0, text: "One two three four. Five six.", isWhole: true }]);
});

test("words are not counted too early while the length of a clause is unknown", () => {
  const playout = new PlayoutBuffer(8000);
  playout.addClause(1, "This is quite a long clause with very many words in it.", 0);
  playout.push(1, pcm(1600));
  play(playout, 10);
  assert.equal(playout.heard()[0]?.text, "");
});

test("text without spaces is cut at a character", () => {
  const playout = new PlayoutBuffer(8000);
  playout.addClause(1, "何名様でいらっしゃいますか", 0);
  playout.push(1, pcm(8000));
  playout.completeClause(1);
  play(playout, 25);
  assert.equal(playout.heard()[0]?.text, "何名様でいら");
});

test("text counts as heard only if it was played before the cut", () => {
  const playout = new PlayoutBuffer(8000);
  playout.addClause(1, "One two.", 0);
  playout.push(1, pcm(8000));
  playout.completeClause(1);
  assert.equal(playout.heard()[0]?.text, "");
  playout.fadeOut();
  playout.push(1, pcm(8000));
  assert.equal(playout.nextFrame(), undefined);
});
